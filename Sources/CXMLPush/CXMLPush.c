#include "CXMLPush.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Names interned in the parser's dictionary are equal if and only if their pointers are: one probe instead of a
// string comparison for each of some 24 million attributes per gigabyte.
typedef struct {
  const xmlChar *name;
  int32_t element;
  int32_t attribute;
} KnownName;

enum { knownSlots = 512 };

struct CXMLParser {
  xmlParserCtxtPtr context;
  xmlSAXHandler handler;
  KnownName known[knownSlots];
  size_t known_count;
  int out_of_memory;
  // The bytes of this push are in disguise.
  int is_disguised;
  uint8_t *disguise;
  size_t disguise_capacity;

  CXMLEvent *events;
  size_t event_count, event_capacity;
  CXMLAttribute *attributes;
  size_t attribute_count, attribute_capacity;
  uint8_t *bytes;
  size_t byte_count, byte_capacity;
  CXMLError *errors;
  size_t error_count, error_capacity;
};

// NOENT: without it `&amp;` in a value arrives as `&#38;`, for a tree to be built from it later. There are no other
// entities to replace, for a DOCTYPE is refused.
static const int options = XML_PARSE_RECOVER | XML_PARSE_HUGE | XML_PARSE_NONET | XML_PARSE_NOENT;

static int grow(void **items, size_t *capacity, size_t needed, size_t size) {
  if (needed <= *capacity) return 1;
  size_t target = *capacity ? *capacity * 2 : 256;
  if (target < needed) target = needed;
  void *grown = realloc(*items, target * size);
  if (!grown) return 0;
  *items = grown;
  *capacity = target;
  return 1;
}

static int reserve(CXMLParser *parser, size_t events, size_t attributes, size_t bytes) {
  int fits =
      grow((void **)&parser->events, &parser->event_capacity, parser->event_count + events, sizeof(CXMLEvent)) &&
      grow((void **)&parser->attributes, &parser->attribute_capacity, parser->attribute_count + attributes,
           sizeof(CXMLAttribute)) &&
      grow((void **)&parser->bytes, &parser->byte_capacity, parser->byte_count + bytes, 1) &&
      parser->byte_count + bytes < UINT32_MAX;
  if (!fits) parser->out_of_memory = 1;
  return fits;
}

static size_t slot_of(const xmlChar *name) {
  uint64_t mixed = (uint64_t)(uintptr_t)name * 0x9E3779B97F4A7C15u;
  return (size_t)(mixed >> 55);  // 9 bits: knownSlots
}

static const KnownName *find_name(const CXMLParser *parser, const xmlChar *name) {
  for (size_t slot = slot_of(name);; slot = (slot + 1) % knownSlots) {
    const KnownName *entry = &parser->known[slot];
    if (entry->name == name || !entry->name) return entry;
  }
}

static uint32_t append(CXMLParser *parser, const void *bytes, size_t count) {
  uint32_t start = (uint32_t)parser->byte_count;
  memcpy(parser->bytes + start, bytes, count);
  parser->byte_count += count;
  return start;
}

// MARK: Disguise
//
// libxml2 takes a value of plain ASCII in one go, but goes through one with `&` or other characters one by one, which
// halves its speed on exports: device strings are full of `&lt;`, names of typographic apostrophes. So these pass through
// it in disguise, as DEL and letters, and values are restored when they are copied.
//
//   &lt;  →  DEL t          é = C3 A9  →  DEL B h         DEL  →  DEL y
//
// A UTF-8 byte becomes the letter 3F + its low six bits, which is never one of " ' & < >. Lead bytes are C2 to F4 (02 to
// 34), so that 35 to 3A are free for entities and DEL. Nothing changes what is well-formed: names in disguise are an
// error, and the caller comes back with the plain bytes.

enum { escape = 0x7F, letterBase = 0x3F, firstSpecial = 0x35, specialCount = 6 };
static const char specials[specialCount] = {'<', '>', '&', '"', '\'', escape};
static const char *const entities[specialCount - 1] = {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;"};

// Offset of the first byte from `i` on that has to be disguised, or `count`.
static size_t next_special(const uint8_t *bytes, size_t i, size_t count) {
  const uint64_t ones = 0x0101010101010101u;
  for (; i + 8 <= count; i += 8) {
    uint64_t word;
    memcpy(&word, bytes + i, 8);
    uint64_t ampersand = word ^ (ones * '&');
    // A byte of 7F or more, or one that was `&`. A carry may say so of a neighbour: then the loop below passes over it.
    if (((word | (word + ones)) | ((ampersand - ones) & ~ampersand)) & (ones << 7)) break;
  }
  while (i < count && bytes[i] < escape && bytes[i] != '&') i++;
  return i;
}

// Letters of the special at `bytes`; 0 when there is no disguise for it.
static size_t disguise_one(const uint8_t *bytes, size_t count, uint8_t *out, size_t *length) {
  out[0] = escape;
  if (bytes[0] == escape) {
    out[1] = letterBase + firstSpecial + specialCount - 1;
    *length = 2;
    return 1;
  }
  if (bytes[0] == '&') {
    for (int k = 0; k < specialCount - 1; k++) {
      size_t size = strlen(entities[k]);
      if (size <= count && memcmp(bytes, entities[k], size) == 0) {
        out[1] = (uint8_t)(letterBase + firstSpecial + k);
        *length = 2;
        return size;
      }
    }
    return 0;
  }
  size_t size = bytes[0] >= 0xF0 ? 4 : bytes[0] >= 0xE0 ? 3 : 2;
  if (bytes[0] < 0xC2 || bytes[0] > 0xF4 || size > count) return 0;
  for (size_t k = 0; k < size; k++) {
    if (k > 0 && (bytes[k] & 0xC0) != 0x80) return 0;
    out[k + 1] = letterBase + (bytes[k] & 0x3F);
  }
  *length = size + 1;
  return size;
}

// Fills `parser->disguise` and returns its length; 0 when something (a numeric reference) has no disguise.
static size_t put_on_disguise(CXMLParser *parser, const uint8_t *bytes, size_t count) {
  // At most twice as long, and a word for the last special.
  if (!grow((void **)&parser->disguise, &parser->disguise_capacity, 2 * count + 8, 1)) return 0;
  uint8_t *out = parser->disguise;
  for (size_t i = 0; i < count;) {
    size_t special = next_special(bytes, i, count);
    memcpy(out, bytes + i, special - i);
    out += special - i;
    i = special;
    if (i == count) break;
    size_t length = 0;
    size_t size = disguise_one(bytes + i, count - i, out, &length);
    if (size == 0) return 0;
    out += length;
    i += size;
  }
  return (size_t)(out - parser->disguise);
}

// Appends a value as it was before. Room for the disguised length is reserved by the caller, and is enough.
static void append_value(CXMLParser *parser, const xmlChar *value, const xmlChar *end) {
  const xmlChar *mark;
  while (parser->is_disguised && (mark = memchr(value, escape, (size_t)(end - value))) && end - mark > 1) {
    append(parser, value, (size_t)(mark - value));
    int code = mark[1] - letterBase;
    value = mark + 2;
    if (code >= firstSpecial) {
      append(parser, &specials[(code - firstSpecial) % specialCount], 1);
      continue;
    }
    uint8_t lead = (uint8_t)(0xC0 | code);
    append(parser, &lead, 1);
    for (int rest = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1; rest > 0 && value < end; rest--) {
      uint8_t byte = (uint8_t)(0x80 | (*value++ - letterBase));
      append(parser, &byte, 1);
    }
  }
  append(parser, value, (size_t)(end - value));
}

static size_t name_size(const xmlChar *local, const xmlChar *prefix) {
  return strlen((const char *)local) + (prefix ? strlen((const char *)prefix) + 1 : 0);
}

// The name as it stands in the file, prefix included. Room is reserved by the caller.
static void append_name(CXMLParser *parser, const xmlChar *local, const xmlChar *prefix, uint32_t *start,
                        uint32_t *length) {
  *start = (uint32_t)parser->byte_count;
  if (prefix) {
    append(parser, prefix, strlen((const char *)prefix));
    append(parser, ":", 1);
  }
  append(parser, local, strlen((const char *)local));
  *length = (uint32_t)parser->byte_count - *start;
}

static void on_start(void *data, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri, int namespace_count,
                     const xmlChar **namespaces, int attribute_count, int defaulted_count, const xmlChar **attributes) {
  (void)uri, (void)namespace_count, (void)namespaces, (void)defaulted_count;
  CXMLParser *parser = data;
  int32_t code = prefix ? CXMLUnknownName : find_name(parser, local)->element;
  size_t needed = code < 0 ? name_size(local, prefix) : 0;
  for (int i = 0; i < attribute_count; i++) {
    const xmlChar **five = attributes + 5 * i;  // local name, prefix, URI, value's begin and end
    needed += (size_t)(five[4] - five[3]);
    if (five[1] || find_name(parser, five[0])->attribute < 0) needed += name_size(five[0], five[1]);
  }
  if (!reserve(parser, 1, (size_t)attribute_count, needed)) return;

  CXMLEvent *event = &parser->events[parser->event_count++];
  *event = (CXMLEvent){CXMLEventStart, code, 0, 0, (uint32_t)parser->attribute_count, (uint32_t)attribute_count, 0};
  if (code < 0) append_name(parser, local, prefix, &event->name_start, &event->name_length);
  for (int i = 0; i < attribute_count; i++) {
    const xmlChar **five = attributes + 5 * i;
    CXMLAttribute *attribute = &parser->attributes[parser->attribute_count++];
    attribute->code = five[1] ? CXMLUnknownName : find_name(parser, five[0])->attribute;
    attribute->name_start = attribute->name_length = 0;
    if (attribute->code < 0) {
      append_name(parser, five[0], five[1], &attribute->name_start, &attribute->name_length);
    }
    attribute->value_start = (uint32_t)parser->byte_count;
    append_value(parser, five[3], five[4]);
    attribute->value_length = (uint32_t)parser->byte_count - attribute->value_start;
  }
  event->bytes_end = (uint32_t)parser->byte_count;
}

static void on_end(void *data, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri) {
  (void)uri;
  CXMLParser *parser = data;
  if (!reserve(parser, 1, 0, 0)) return;
  int32_t code = prefix ? CXMLUnknownName : find_name(parser, local)->element;
  parser->events[parser->event_count++] = (CXMLEvent){CXMLEventEnd, code, 0, 0, 0, 0, (uint32_t)parser->byte_count};
}

static void on_text(void *data, const xmlChar *text, int length) {
  CXMLParser *parser = data;
  if (length <= 0 || !reserve(parser, 1, 0, (size_t)length)) return;
  uint32_t start = append(parser, text, (size_t)length);
  parser->events[parser->event_count++] =
      (CXMLEvent){CXMLEventText, CXMLUnknownName, 0, 0, start, (uint32_t)length, (uint32_t)parser->byte_count};
}

static void note_error(CXMLParser *parser, int code, int is_fatal) {
  if (!grow((void **)&parser->errors, &parser->error_capacity, parser->error_count + 1, sizeof(CXMLError))) {
    parser->out_of_memory = 1;
    return;
  }
  long consumed = xmlByteConsumed(parser->context);
  parser->errors[parser->error_count++] =
      (CXMLError){code, is_fatal, (uint32_t)parser->event_count, consumed < 0 ? 0 : consumed};
}

#if LIBXML_VERSION >= 21200
static void on_error(void *data, const xmlError *error) {
#else
static void on_error(void *data, xmlErrorPtr error) {
#endif
  note_error(data, error->code, error->level == XML_ERR_FATAL);
}

static void on_doctype(void *data, const xmlChar *name, const xmlChar *external, const xmlChar *system) {
  (void)name, (void)external, (void)system;
  CXMLParser *parser = data;
  note_error(parser, CXMLErrorDoctype, 1);
  xmlStopParser(parser->context);
}

static void know(CXMLParser *parser, const char *name, int32_t element, int32_t attribute) {
  const xmlChar *interned = xmlDictLookup(parser->context->dict, (const xmlChar *)name, -1);
  KnownName *entry = (KnownName *)find_name(parser, interned);
  if (!entry->name) {
    if (++parser->known_count > knownSlots / 2) abort();  // a programming error: the table is fixed
    entry->name = interned;
  }
  if (element >= 0) entry->element = element;
  if (attribute >= 0) entry->attribute = attribute;
}

void cxml_know_element(CXMLParser *parser, const char *name, int32_t code) { know(parser, name, code, -1); }
void cxml_know_attribute(CXMLParser *parser, const char *name, int32_t code) { know(parser, name, -1, code); }

CXMLParser *cxml_create(int wants_text) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, xmlInitParser);
  CXMLParser *parser = calloc(1, sizeof *parser);
  if (!parser) return NULL;
  for (size_t i = 0; i < knownSlots; i++) parser->known[i].element = parser->known[i].attribute = CXMLUnknownName;
  xmlSAXHandler *handler = &parser->handler;
  handler->initialized = XML_SAX2_MAGIC;
  handler->startElementNs = on_start;
  handler->endElementNs = on_end;
  handler->serror = on_error;
  handler->internalSubset = on_doctype;
  if (wants_text) handler->characters = handler->cdataBlock = handler->ignorableWhitespace = on_text;
  parser->context = xmlCreatePushParserCtxt(handler, parser, NULL, 0, NULL);
  if (!parser->context) {
    free(parser);
    return NULL;
  }
  xmlCtxtUseOptions(parser->context, options);
  return parser;
}

void cxml_destroy(CXMLParser *parser) {
  xmlFreeParserCtxt(parser->context);
  free(parser->events);
  free(parser->attributes);
  free(parser->bytes);
  free(parser->errors);
  free(parser->disguise);
  free(parser);
}

static void forget_results(CXMLParser *parser) {
  parser->event_count = parser->attribute_count = parser->byte_count = parser->error_count = 0;
}

int cxml_restart(CXMLParser *parser) {
  forget_results(parser);
  if (xmlCtxtResetPush(parser->context, NULL, 0, NULL, NULL) != 0) return -1;
  xmlCtxtUseOptions(parser->context, options);
  return parser->out_of_memory ? -1 : 0;
}

int cxml_push(CXMLParser *parser, const uint8_t *bytes, size_t count, int is_last) {
  forget_results(parser);
  parser->is_disguised = 0;
  xmlParseChunk(parser->context, (const char *)bytes, (int)count, is_last);
  return parser->out_of_memory ? -1 : 0;
}

int cxml_push_values(CXMLParser *parser, const uint8_t *bytes, size_t count) {
  size_t length = put_on_disguise(parser, bytes, count);
  if (length == 0) return cxml_push(parser, bytes, count, 0);
  forget_results(parser);
  parser->is_disguised = 1;
  xmlParseChunk(parser->context, (const char *)parser->disguise, (int)length, 0);
  return parser->out_of_memory ? -1 : 0;
}

CXMLResult cxml_result(const CXMLParser *parser) {
  return (CXMLResult){parser->events, parser->event_count, parser->attributes, parser->bytes, parser->errors,
                      parser->error_count};
}

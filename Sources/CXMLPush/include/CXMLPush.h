#pragma once

#include <stddef.h>
#include <stdint.h>

// A narrow push parser over libxml2's SAX2 interface. This header names no libxml2 type: Debian's libxml2 brings ICU
// types that clash with those of Foundation, so no Swift module may see its headers.
//
// Events are not called back one by one. A push fills flat tables that the caller reads afterwards: one call into
// Swift for some hundred elements instead of one for each, and errors thrown there never cross a C frame.
//
//   push("<a x='1'>") ─► events      START a, END a, …
//                        attributes  x → bytes 0..<1
//                        bytes       decoded values, unknown names, text
//                        errors      code, byte offset, the event before which it was reported
//
// Options are fixed: recover (an error is reported and parsing goes on), huge (no limit on attribute sizes), no
// network, entities of XML itself replaced. A document type declaration is refused as a fatal error, which rules out entity expansion.

typedef struct CXMLParser CXMLParser;

enum { CXMLEventStart = 1, CXMLEventEnd = 2, CXMLEventText = 3 };

// Code of a name that was not registered.
enum { CXMLUnknownName = -1 };
// Our own error code, beside those of libxml2: the document has a DOCTYPE.
enum { CXMLErrorDoctype = -1 };

typedef struct {
  int32_t kind;
  // As registered for this element name; unknown: the name's range in `bytes`.
  int32_t code;
  uint32_t name_start;
  uint32_t name_length;
  // START: range of attributes. TEXT: range of bytes.
  uint32_t first;
  uint32_t count;
  // Number of bytes in `bytes` up to and with this event: those of consecutive events are side by side.
  uint32_t bytes_end;
} CXMLEvent;

typedef struct {
  int32_t code;
  uint32_t name_start;
  uint32_t name_length;
  uint32_t value_start;
  uint32_t value_length;
} CXMLAttribute;

typedef struct {
  // xmlParserErrors: 42 is a doubled attribute.
  int32_t code;
  int32_t is_fatal;
  // Number of events before it.
  uint32_t event;
  // Bytes consumed since the document began.
  int64_t offset;
} CXMLError;

// Valid until the next push, restart or destroy.
typedef struct {
  const CXMLEvent *events;
  size_t event_count;
  const CXMLAttribute *attributes;
  const uint8_t *bytes;
  const CXMLError *errors;
  size_t error_count;
} CXMLResult;

// NULL when memory is short. Text events only if `wants_text`.
CXMLParser *cxml_create(int wants_text);
void cxml_destroy(CXMLParser *parser);

// Registers a name (without prefix), once, before the first push. Codes are 0 or greater.
void cxml_know_element(CXMLParser *parser, const char *name, int32_t code);
void cxml_know_attribute(CXMLParser *parser, const char *name, int32_t code);

// Forgets the document so far and begins a new one; registered names stay. Returns 0, or -1 when memory is short.
int cxml_restart(CXMLParser *parser);

// Parses the next `count` bytes (at most INT_MAX); `is_last` ends the document. Returns 0, or -1 when memory is short.
int cxml_push(CXMLParser *parser, const uint8_t *bytes, size_t count, int is_last);

// The same for whole elements, or parts between elements, that are UTF-8 and have no text: faster, but error offsets mean
// nothing, and there are errors where names are not ASCII. After an error: restart, and push the same bytes with `cxml_push`.
int cxml_push_values(CXMLParser *parser, const uint8_t *bytes, size_t count);

CXMLResult cxml_result(const CXMLParser *parser);

#include "CXMLFloor.h"

#include <libxml/parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 20 };

static void start_element(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespaces,
                          const xmlChar **namespace_list, int attributes, int defaulted, const xmlChar **list) {
  (void)name, (void)prefix, (void)uri, (void)namespaces, (void)namespace_list;
  (void)attributes, (void)defaulted, (void)list;
  ++*(int64_t *)user;
}

static void end_element(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
  (void)user, (void)name, (void)prefix, (void)uri;
}

int64_t cxml_floor_count_elements(const char *path) {
  FILE *file = fopen(path, "r");
  char *bytes = malloc(PIECE);
  xmlSAXHandler handler;
  memset(&handler, 0, sizeof handler);
  handler.initialized = XML_SAX2_MAGIC;
  handler.startElementNs = start_element;
  handler.endElementNs = end_element;
  int64_t count = 0;
  xmlParserCtxtPtr context = xmlCreatePushParserCtxt(&handler, &count, NULL, 0, NULL);
  if (file == NULL || bytes == NULL || context == NULL) count = -1;
  else {
    xmlCtxtUseOptions(context, XML_PARSE_HUGE | XML_PARSE_RECOVER | XML_PARSE_NONET);
    size_t length;
    while ((length = fread(bytes, 1, PIECE, file)) > 0) xmlParseChunk(context, bytes, (int)length, 0);
    xmlParseChunk(context, bytes, 0, 1);
  }
  if (context != NULL) xmlFreeParserCtxt(context);
  if (file != NULL) fclose(file);
  free(bytes);
  return count;
}

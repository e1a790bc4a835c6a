#include "CXMLPush.h"

// Left empty on purpose: Swift must not see libxml2's headers.

/// What `ps` shows of this process.
enum ProcessListing {
  /// Overwrites passwords in connection strings with `x`, in the memory the kernel shows as the command line. Between
  /// the start of the program and this call they can be seen; DATABASE_URL and ~/.pgpass have no such moment.
  ///
  /// Call after `CommandLine.arguments` was read, before any other thread starts.
  static func hidePasswords() {
    for index in 0..<Int(CommandLine.argc) {
      guard let argument = unsafe CommandLine.unsafeArgv[index] else { continue }
      var bytes: [UInt8] = []
      while unsafe argument[bytes.count] != 0 { bytes.append(UInt8(bitPattern: unsafe argument[bytes.count])) }
      for range in Secrets.ranges(in: bytes) {
        // Inside the argument's own bytes; its end mark stays.
        for position in range { unsafe argument[position] = CChar(bitPattern: UInt8(ascii: "x")) }
      }
    }
  }
}

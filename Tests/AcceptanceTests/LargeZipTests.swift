import Foundation
import PostgresClient
import TestSupport
import Testing

/// Archives over 4 GB, as a filler before the export makes them in no time: a hole in a sparse file. ZIP64 says where
/// the export is; Apple's Archive Utility lets the 32-bit fields wrap instead.
@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20)))
struct LargeZipTests {
  private static let script = """
    import struct, sys, zlib
    form, xml, out = sys.argv[1:4]
    data = open(xml, "rb").read()
    deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
    packed = deflate.compress(data) + deflate.flush()
    filler = (1 << 32) + 12345
    M = 0xFFFFFFFF
    zip64 = form == "zip64"
    def field(n):
        return (M if n >= M else n) if zip64 else n & M
    def extra(*numbers):
        large = b"".join(struct.pack("<Q", n) for n in numbers if n >= M)
        return struct.pack("<HH", 1, len(large)) + large if zip64 and large else b""
    def local(name, method, flags, crc, packed, size):
        more = extra(size, packed)
        return struct.pack("<IHHHHHIIIHH", 0x04034b50, 45, flags, method, 0, 0, crc, field(packed), field(size),
                           len(name), len(more)) + name + more
    def central(name, method, flags, crc, packed, size, offset):
        more = extra(size, packed, offset)
        return struct.pack("<IHHHHHHIIIHHHHHII", 0x02014b50, 45, 45, flags, method, 0, 0, crc, field(packed), field(size),
                           len(name), len(more), 0, 0, 0, 0, field(offset)) + name + more
    names = [b"apple_health_export/filler.bin", b"apple_health_export/export.xml"]
    with open(out, "wb") as f:
        f.write(local(names[0], 0, 0, 0, filler, filler))
        f.seek(filler, 1)
        offset = f.tell()
        f.write(local(names[1], 8, 8, 0, 0, 0) + packed)
        f.write(struct.pack("<IIII", 0x08074b50, zlib.crc32(data), len(packed), len(data)))
        start = f.tell()
        f.write(central(names[0], 0, 0, 0, filler, filler, 0))
        f.write(central(names[1], 8, 8, zlib.crc32(data), len(packed), len(data), offset))
        length = f.tell() - start
        if zip64:
            end = f.tell()
            f.write(struct.pack("<IQHHIIQQQQ", 0x06064b50, 44, 45, 45, 0, 0, 2, 2, length, start))
            f.write(struct.pack("<IIQI", 0x07064b50, 0, end, 1))
        f.write(struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, 2, 2, length, field(start), 0))
    """

  @Test(arguments: ["zip64", "wrapped"])
  func isImported(form: String) throws {
    let programs = try Programs()
    defer { programs.remove() }
    let xml = try programs.export("0.3MB", named: "export.xml", extra: ["--no-side-files"])
    let zip = programs.path("large.zip")
    let made = try CommandRun("/usr/bin/env", ["python3", "-c", LargeZipTests.script, form, xml, zip])
    #expect(made.status == 0, "\(made.errors)")
    let size = try FileManager.default.attributesOfItem(atPath: zip)[.size] as? Int ?? 0
    #expect(size > 1 << 32)

    let fromZip = try TestDatabase()
    let run = try programs.run(["import", zip, "--database", fromZip.conninfo, "--user", "anna"])
    #expect(run.status == 0, "\(run.errors)")
    let fromXML = try TestDatabase()
    #expect(try programs.run(["import", xml, "--database", fromXML.conninfo, "--user", "anna"]).status == 0)
    let contents = try Contents.all(of: fromZip.connection)
    #expect(contents.count > 500)
    #expect(try contents == Contents.all(of: fromXML.connection))
  }
}

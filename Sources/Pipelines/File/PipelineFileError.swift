/// What is wrong with a pipeline file: data; `HK2PGCommand` makes the sentences (exit 2). Lines count from 1; `key` is
/// the whole path of a key, for instance `steps[1].older_than`.
package enum PipelineFileError: Error, Equatable, Sendable {
  case unreadable(errno: Int32)
  /// Not JSON5; the line is nil where only the decoder knows.
  case notJSON(line: Int?, Fault?)
  case doubledKey(String, line: Int?)
  /// No key of a pipeline, or of the object that it stands in.
  case unknownKey(String, line: Int?, known: [String])
  /// A key of some steps, but of none that this pipeline has (or not of this step).
  case unusedKey(String, line: Int?, steps: [String])
  case wrongType(String, line: Int?, expected: String, found: String)
  case missingKey(String, expected: String)
  case unknownStep(String, key: String, line: Int?, known: [String])
  case exclusiveKeys(String, String, line: Int?)
  /// A `${NAME}` whose variable is not set.
  case missingVariable(String, key: String, line: Int?)
  /// `${` without a name or an end.
  case badReference(key: String, line: Int?)
  /// A password stands in the file itself.
  case literalSecret(key: String, line: Int?)
  /// `{user}` where there are not many exports.
  case noUserHere(key: String, line: Int?)

  package enum Fault: Equatable, Sendable {
    case endsEarly
    case unexpected(String)
    case missingComma
    case missingColon(String)
    case unclosed(String, line: Int)
    case unclosedString
    case tooDeep
  }
}

import Foundation
import SyntheticExport

exit(SynthCommand.run(Array(CommandLine.arguments.dropFirst())))

package import PrivateCluster

extension PrivateCluster.Event {
  /// Said while the private cluster is made or started, which takes seconds to minutes.
  package var sentence: String {
    switch self {
    case .creating(let folder): "Making a private PostgreSQL in \(folder)."
    case .starting: "Starting the private PostgreSQL."
    case .recovering: "The private PostgreSQL gets ready; after a crash this may take minutes."
    }
  }
}

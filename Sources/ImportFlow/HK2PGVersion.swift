/// The version of hk2pg, as `--version`, manifests, reports and the ledger state it.
package enum HK2PGVersion {
  package static let current = "0.1.0"
}

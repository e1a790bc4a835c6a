// PrivateCluster: see DESIGN §5.

// BoundedQueues: see DESIGN §5.

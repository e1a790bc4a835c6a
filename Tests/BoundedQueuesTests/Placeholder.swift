// BoundedQueuesTests

import Bench

BenchCommand.main()

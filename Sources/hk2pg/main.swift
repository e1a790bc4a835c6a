import HK2PGCommand

CommandLineTool.main()

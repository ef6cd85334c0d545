from kdelta.cli.main import main

main()

"""The subcommands of `threadlake`, a file each."""

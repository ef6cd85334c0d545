"""What others published, read: mails, logs, output of other tools, with the place of every number; and what can be repaired."""

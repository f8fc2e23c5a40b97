"""What each verb of the command line does: call the library, print, and say how it went."""

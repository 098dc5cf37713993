"""What people ask of their memories at a terminal: questions by name, answers as JSON, whoever carries them."""

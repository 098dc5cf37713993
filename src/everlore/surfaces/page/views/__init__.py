"""What the page shows: a module for each view, which makes markup of an address and never touches NiceGUI."""

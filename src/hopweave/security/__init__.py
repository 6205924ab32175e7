"""What must not be shown, and whose settings may say where it is sent."""

"""What generated programs are compared with: the original as a program, and the testbench that runs both."""

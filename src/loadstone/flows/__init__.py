"""Packages of generated hardware and programs for the flows of others: Vitis, Vivado, Quartus, PYNQ, XRT, LiteX.

Each module writes the files of a flow from a finished folder: its register map, buses, ports and arrays.
"""

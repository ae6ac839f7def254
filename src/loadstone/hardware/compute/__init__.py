"""The compute unit: controller, datapaths, issue, scalars and on-chip memories."""

//! Scenario files: parsing, defaults, overrides, and building a cell from them.

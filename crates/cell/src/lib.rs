//! Nodes, links, medium, event queue and observers of one simulated cell.

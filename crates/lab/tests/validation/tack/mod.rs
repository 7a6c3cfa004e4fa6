//! Claims of the paper on TACK (Li et al., "Revisiting Acknowledgment Mechanism for Transport Control", 2021).
//!
//! `docs/validation.md` has every claim with the paper's figure, ours, and the experiment that explains the difference; `docs/tack.md` how
//! each figure is run. The tests hold what both say, on shorter runs and fewer seeds than the tables have.

mod arithmetic;

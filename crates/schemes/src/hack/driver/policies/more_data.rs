//! The MORE DATA policy: ACKs are held as long as the peer has promised another PPDU.

use crate::hack::driver::{Driver, Promise};
use crate::hack::env::Env;

impl Driver {
    /// An answer left. Where nothing was promised after it, what was not on it goes natively (3.3.1).
    pub(super) fn keep_promised(&mut self, env: &mut Env<'_, '_>) {
        if self.promise == Promise::None {
            self.requeue_all(env);
        }
    }
}

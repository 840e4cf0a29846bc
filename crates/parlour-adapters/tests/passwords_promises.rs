//! Every promise of the passwords port, kept by Argon2id.

use std::sync::Arc;

use parlour_adapters::Argon2Passwords;
use parlour_hub::{password_suite, ports::Passwords};

async fn argon2() -> (Arc<dyn Passwords>, ()) {
    (Arc::new(Argon2Passwords::default()), ())
}

password_suite!(argon2);

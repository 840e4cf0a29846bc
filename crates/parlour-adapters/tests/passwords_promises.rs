//! The suite of the passwords port for Argon2id.

use std::sync::Arc;

use parlour_adapters::Argon2Passwords;
use parlour_hub::ports::Passwords;
use parlour_testkit::password_suite;

async fn argon2() -> (Arc<dyn Passwords>, ()) {
    (Arc::new(Argon2Passwords::default()), ())
}

password_suite!(argon2);

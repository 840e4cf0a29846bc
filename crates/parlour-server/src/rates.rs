//! Rates on this surface: who is charged for a request, and what the answer says about it.

mod gate;
mod headers;
mod visit;

pub(crate) use gate::charge_address;
pub(crate) use visit::Visit;

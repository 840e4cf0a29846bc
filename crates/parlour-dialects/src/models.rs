//! What model providers are sent: message lists as their interfaces want them.

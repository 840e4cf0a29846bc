/// The only source of randomness in the hub: ids and secrets.
pub trait Ids: Send + Sync {
    /// 128 bits for an id. They start with the time in milliseconds, increase with every call and never repeat.
    fn next_bits(&self) -> u128;

    /// 256 unpredictable bits.
    fn new_secret(&self) -> [u8; 32];
}

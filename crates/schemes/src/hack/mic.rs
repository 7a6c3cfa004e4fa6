//! A message integrity code behind what is appended, so that nobody but the peer can say a TCP ACK.
//!
//! CCMP and protected management frames cover no control frames: an answer is authenticated by nothing, and what it acknowledges at link layer can be forged in any
//! cell. HACK lets it speak for TCP too. With [`HackConfig::mic`](super::HackConfig::mic) the appended bytes end in
//!
//! ```text
//! appended = [frame] COUNT(16) MIC(32 or 64)        all in network byte order; on each answer, also where there is no frame
//! ```
//!
//! - **The code** is SipHash-2-4 (Aumasson and Bernstein, 2012), a keyed function made for short messages, over the addresses of sender and receiver, the whole
//!   count (64 bits) and the frame; of its 64 bits the first 32 or all. A NIC has SIFS to compute it, as it has for CCMP's.
//! - **Replay.** The count goes up by one with each answer; its low 16 bits are sent. The receiver takes the next greater number with
//!   these bits for the whole, so what it has taken once it never takes again, nor anything older, and 65,534 answers may be lost in a row. A delayed
//!   answer is one that was lost. The numbers of the MPDUs that an answer acknowledges would cost no bytes, but repeat after 4096.
//! - **What fails** is no HACK frame: nothing of it is read, and no context is touched by it. To the sender of data it is an answer that did not come: SYNC
//!   asks for all of it again, and a native ACK that it acknowledges opens no context. A bare answer, which has no code, is one of these: in place of a jammed one with codes it would
//!   otherwise have the client let go of codes that never arrived.
//! - **The counts begin with the association**, as the key does, and do not find each other again without a new one: where one end alone begins anew, or more answers are
//!   lost, nothing opens any more, or only by chance. After three such answers in a row the receiver withholds MORE DATA, until one opens or for a second after the last: what
//!   is left is plain TCP, with a few answers in each second that carry codes in vain.
//!
//! What it does not cover: what the answer itself says. Who forges an Ack or BlockAck still acknowledges MPDUs that were never received, as without HACK, and the MAC does not send them again;
//! TCP does. And whoever jams every answer holds up the flow, as by jamming all the rest.

use std::hash::Hasher as _;

use ackless_dot11::frame::NodeId;
use siphasher::sip::SipHasher24;

use super::config::Mic;

/// The sending end: counts the answers to one peer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sealer {
    count: u64,
}

/// The receiving end: knows the last answer of one peer that it took.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Opener {
    count: u64,
}

/// Appended bytes without a right code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Forged;

impl Sealer {
    /// Appends count and code to a frame.
    pub(super) fn seal(&mut self, mic: &Mic, from: NodeId, to: NodeId, frame: &mut Vec<u8>) {
        self.count += 1;
        let code = code(mic, from, to, self.count, frame);
        frame.extend_from_slice(&(self.count as u16).to_be_bytes());
        frame.extend_from_slice(&code[..mic.len.bytes()]);
    }
}

impl Opener {
    /// The frame in front of count and code.
    ///
    /// # Errors
    /// The code is not right; nothing has changed then.
    pub(super) fn open<'a>(
        &mut self,
        mic: &Mic,
        from: NodeId,
        to: NodeId,
        appended: &'a [u8],
    ) -> Result<&'a [u8], Forged> {
        let (rest, said) = appended.split_at_checked(appended.len().wrapping_sub(mic.len.bytes())).ok_or(Forged)?;
        let (frame, low) = rest.split_last_chunk::<COUNT>().ok_or(Forged)?;
        let ahead = u16::from_be_bytes(*low).wrapping_sub(self.count as u16);
        // The same low bits again are either the same answer or 65,536 further on, of which so many cannot be lost.
        let count = self.count + u64::from(ahead);
        if ahead == 0 || code(mic, from, to, count, frame)[..mic.len.bytes()] != *said {
            return Err(Forged);
        }
        self.count = count;
        Ok(frame)
    }
}

/// How many bytes count and code take.
pub(super) const fn overhead(mic: Option<&Mic>) -> usize {
    match mic {
        Some(mic) => COUNT + mic.len.bytes(),
        None => 0,
    }
}

fn code(mic: &Mic, from: NodeId, to: NodeId, count: u64, frame: &[u8]) -> [u8; 8] {
    let mut hasher = SipHasher24::new_with_key(&mic.key);
    hasher.write(&from.mac().0);
    hasher.write(&to.mac().0);
    hasher.write(&count.to_be_bytes());
    hasher.write(frame);
    hasher.finish().to_be_bytes()
}

/// The bytes of the count.
const COUNT: usize = 2;

#[cfg(test)]
mod tests {
    use super::super::config::MicLen;
    use super::*;

    const STATION: NodeId = NodeId(1);
    const AP: NodeId = NodeId(0);

    fn mic(len: MicLen) -> Mic {
        Mic { len, key: *b"0123456789abcdef" }
    }

    fn sealed(sealer: &mut Sealer, mic: &Mic) -> Vec<u8> {
        let mut bytes = vec![7, 1, 0x20, 0x41];
        sealer.seal(mic, STATION, AP, &mut bytes);
        bytes
    }

    /// The first vector of the reference implementation with 15 octets: key 00 to 0f, message 00 to 0e (appendix A of the paper).
    #[test]
    fn the_function_is_siphash_2_4() {
        let mut hasher = SipHasher24::new_with_key(&std::array::from_fn(|n| n as u8));
        hasher.write(&std::array::from_fn::<u8, 15, _>(|n| n as u8));
        assert_eq!(hasher.finish(), 0xa129_ca61_49be_45e5);
    }

    #[test]
    fn what_was_sealed_opens_once_and_in_order_through_losses() {
        for len in [MicLen::Four, MicLen::Eight] {
            let (mic, mut sealer, mut opener) = (mic(len), Sealer::default(), Opener::default());
            let first = sealed(&mut sealer, &mic);
            assert_eq!(first.len(), 4 + overhead(Some(&mic)));
            for lost in [0, 1, 300, 65_534, 3] {
                (0..lost).for_each(|_| drop(sealed(&mut sealer, &mic)));
                let bytes = sealed(&mut sealer, &mic);
                assert_eq!(opener.open(&mic, STATION, AP, &bytes), Ok(&[7, 1, 0x20, 0x41][..]), "{lost} lost");
                assert_eq!(opener.open(&mic, STATION, AP, &bytes), Err(Forged), "replayed at once");
                assert_eq!(opener.open(&mic, STATION, AP, &first), Err(Forged), "replayed later");
            }
        }
    }

    #[test]
    fn nothing_else_opens() {
        let (mic, mut sealer, mut opener) = (mic(MicLen::Four), Sealer::default(), Opener::default());
        let bytes = sealed(&mut sealer, &mic);
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(opener.open(&mic, STATION, AP, &flipped), Err(Forged), "bit {bit}");
        }
        for len in 0..bytes.len() {
            assert_eq!(opener.open(&mic, STATION, AP, &bytes[..len]), Err(Forged), "{len} bytes");
        }
        assert_eq!(opener.open(&mic, AP, STATION, &bytes), Err(Forged), "turned round");
        assert_eq!(opener.open(&mic, NodeId(2), AP, &bytes), Err(Forged), "another station's");
        let other = Mic { key: [0; 16], ..mic };
        assert_eq!(opener.open(&other, STATION, AP, &bytes), Err(Forged));
        assert!(opener.open(&mic, STATION, AP, &bytes).is_ok(), "and what is genuine still does");
    }
}

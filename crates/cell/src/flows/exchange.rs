//! Requests and their responses on one connection.
//!
//! No packet says which request it is of: that follows from the count of bytes that have come to
//! each end.

use ackless_wire::Bytes;

use crate::config::RequestsConfig;

/// Both ends of an exchange of requests and responses.
#[derive(Debug)]
pub(crate) struct Exchange {
    config: RequestsConfig,
    /// Requests that the client has handed over.
    asked: u32,
    /// Requests that have come to the server, which has handed over their responses.
    served: u32,
    /// Requests whose response has come to the client.
    answered: u32,
}

impl Exchange {
    pub(crate) const fn new(config: RequestsConfig) -> Self {
        Self { config, asked: 0, served: 0, answered: 0 }
    }

    /// The client hands over the next request: the lengths of its writes.
    pub(crate) fn ask(&mut self) -> impl Iterator<Item = Bytes> + use<> {
        self.asked += 1;
        writes(self.config.request, self.config.request_writes)
    }

    /// So many bytes have come to the server in all: the lengths of the writes that it responds
    /// with, if a request is whole now.
    pub(crate) fn serve(&mut self, came: Bytes) -> Option<impl Iterator<Item = Bytes> + use<>> {
        // A request comes only after the response to the one before it.
        let whole = self.served < self.asked && came >= self.config.request * u64::from(self.asked);
        whole.then(|| {
            self.served = self.asked;
            writes(self.config.response, self.config.response_writes)
        })
    }

    /// So many bytes have come to the client in all: whether that ends the response that it waits
    /// for.
    pub(crate) fn ends_response(&mut self, came: Bytes) -> bool {
        let whole = self.answered < self.asked && came >= self.config.response * u64::from(self.asked);
        if whole {
            self.answered = self.asked;
        }
        whole
    }

    /// Whether the client waits for a response.
    pub(crate) const fn is_waiting(&self) -> bool {
        self.answered < self.asked
    }

    /// Whether the client has more requests.
    pub(crate) fn goes_on(&self) -> bool {
        self.config.count.is_none_or(|count| self.asked < count)
    }
}

/// `len` in so many pieces, which differ by a byte at most.
fn writes(len: Bytes, count: u32) -> impl Iterator<Item = Bytes> + use<> {
    let (len, count) = (len.get(), u64::from(count.max(1)));
    (0..count).map(move |n| Bytes(len * (n + 1) / count - len * n / count))
}

#[cfg(test)]
mod tests {
    use ackless_wire::Duration;

    use super::*;
    use crate::config::Span;

    #[test]
    fn each_end_counts_bytes_to_the_end_of_a_request_or_response() {
        let mut exchange = Exchange::new(RequestsConfig {
            request: Bytes(301),
            request_writes: 2,
            response: Bytes(10),
            response_writes: 3,
            think: Span::Fixed(Duration::ZERO),
            count: Some(2),
        });
        assert!(exchange.goes_on() && !exchange.ends_response(Bytes(0)));
        assert_eq!(exchange.ask().collect::<Vec<_>>(), [Bytes(150), Bytes(151)]);
        assert!(exchange.serve(Bytes(300)).is_none() && !exchange.ends_response(Bytes(0)));
        let response = exchange.serve(Bytes(301)).map(Iterator::collect::<Vec<_>>);
        assert_eq!(response, Some(vec![Bytes(3), Bytes(3), Bytes(4)]));
        assert!(exchange.serve(Bytes(301)).is_none(), "it is served once");
        assert!(!exchange.ends_response(Bytes(9)) && exchange.ends_response(Bytes(10)));
        assert!(!exchange.ends_response(Bytes(10)) && exchange.goes_on());
        assert_eq!(exchange.ask().count(), 2);
        assert!(exchange.serve(Bytes(602)).is_some() && exchange.ends_response(Bytes(20)));
        assert!(!exchange.goes_on());
    }
}

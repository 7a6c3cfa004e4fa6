//! What a person gets: the server and each station in a network namespace of its own, with a device, addresses and routes; or, in place of any of them, an interface that
//! was there before, and whoever is behind it.
//!
//! It is made whole or not at all, and goes when it is dropped: devices with their descriptors, namespaces, names.

use std::path::Path;

use ackless_cell::config::CellConfig;
use ackless_cell::flows::Place;

use crate::EmuError;
use crate::claim::{Claim, Removed};
use crate::device::{Addresses, Device, Offload};
use crate::namespace::Namespace;

/// The namespaces and devices of one emulation. Fields are dropped in this order: devices, namespaces, names.
#[derive(Debug)]
pub struct World {
    /// The server's device first, then those of the stations in the order of the configuration.
    pub devices: Vec<Device>,
    /// Likewise; an interface that was there before has none.
    pub namespaces: Vec<Option<Namespace>>,
    pub(crate) claim: Claim,
}

/// How its devices are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan<'a> {
    /// With what all its names begin.
    pub name: &'a str,
    /// What is left to the server's device.
    pub server: Offload,
    /// What is left to those of stations.
    pub stations: Offload,
    /// What is there already.
    pub ends: Ends<'a>,
}

/// Interfaces of the calling thread's namespace that take the place of hosts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ends<'a> {
    /// Behind which the server is.
    pub server: Option<&'a str>,
    /// Behind which stations are, the first ones in the order of the configuration.
    pub stations: &'a [String],
}

impl<'a> Ends<'a> {
    /// The interface that takes the place of a host.
    pub fn at(&self, place: Place) -> Option<&'a str> {
        match place {
            Place::Server => self.server,
            Place::Station(node) => self.stations.get(node.checked_sub(1)?).map(String::as_str),
        }
    }

    /// All of them.
    fn all(&self) -> impl Iterator<Item = &'a str> {
        self.server.into_iter().chain(self.stations.iter().map(String::as_str))
    }

    /// Whether each can be one's.
    fn check(&self, config: &CellConfig) -> Result<(), EmuError> {
        let (asked, stations) = (self.stations.len(), config.stations.len());
        if asked > stations {
            return Err(EmuError::Wrong {
                what: format!("there are {asked} interfaces for {stations} stations"),
                help: format!("leave some out, or --set stations.count={asked}"),
            });
        }
        match self.all().enumerate().find(|(n, name)| self.all().take(*n).any(|other| other == *name)) {
            None => Ok(()),
            Some((_, twice)) => Err(EmuError::Wrong {
                what: format!("the interface {twice} is given twice"),
                help: "each host is behind an interface of its own".to_owned(),
            }),
        }
    }
}

impl World {
    /// Makes the namespaces `NAME-server` and `NAME-STATION` with a device each, but for those whose place an interface takes.
    ///
    /// # Errors
    /// Where rights are missing, a name is taken, or a name cannot be one; and see [`Device::existing`].
    pub fn new(plan: Plan<'_>, config: &CellConfig) -> Result<Self, EmuError> {
        let names = names(plan.name, config)?;
        plan.ends.check(config)?;
        let made = |place: &Place| plan.ends.at(*place).is_none();
        if places(config).any(|place| made(&place)) && !Path::new(TUN).exists() {
            return Err(EmuError::Refused {
                what: "TUN devices are not to be had".to_owned(),
                source: std::io::Error::new(std::io::ErrorKind::NotFound, format!("there is no {TUN}")),
                help:
                    "load the kernel's module: modprobe tun; in a container, give it the device: --device /dev/net/tun"
                        .to_owned(),
            });
        }
        let names = || places(config).zip(&names).map(|(place, name)| made(&place).then_some(name));
        let claim = Claim::new(plan.name, names().flatten().cloned().collect(), plan.ends.all())?;
        let namespaces = names().map(|name| name.map(|name| Namespace::new(name)).transpose());
        let namespaces: Vec<_> = namespaces.collect::<Result<_, _>>()?;
        let ethernet = plan.ends.all().next().is_some();
        let devices = places(config).zip(&namespaces).map(|(place, namespace)| {
            let (device, offload) = match place {
                Place::Server => ("wire0", plan.server),
                Place::Station(_) => ("wifi0", plan.stations),
            };
            let mtu = config.wired.mtu;
            match (namespace, plan.ends.at(place)) {
                (Some(namespace), _) => namespace
                    .within(|| Device::new(device, place, mtu, offload, ethernet))
                    .map_err(|source| EmuError::Refused {
                        what: format!("no TUN device could be made in {}", namespace.name()),
                        source,
                        help: format!("{TUN} must be open to whoever runs this"),
                    }),
                (None, name) => Device::existing(name.unwrap_or_default(), place, mtu, offload),
            }
        });
        let devices = devices.collect::<Result<_, _>>()?;
        Ok(Self { devices, namespaces, claim })
    }

    /// The remains of a dead emulation of the same name.
    pub fn removed(&self) -> Option<Removed> {
        self.claim.removed()
    }
}

/// The place of this name: `server`, or a station's own.
///
/// # Errors
/// Where the scenario has no such station.
pub fn find(name: &str, config: &CellConfig) -> Result<Place, EmuError> {
    let station = config.stations.iter().position(|station| station.name == name);
    match station {
        Some(station) => Ok(Place::Station(station + 1)),
        None if name == SERVER => Ok(Place::Server),
        None => {
            let all: Vec<_> = config.stations.iter().map(|station| station.name.as_str()).collect();
            Err(EmuError::Wrong {
                what: format!("the scenario has no station called {name}"),
                help: format!("it has {SERVER}, {}", all.join(", ")),
            })
        }
    }
}

/// The server, and all stations in the order of the configuration.
pub fn places(config: &CellConfig) -> impl Iterator<Item = Place> + use<> {
    std::iter::once(Place::Server).chain((1..=config.stations.len()).map(Place::Station))
}

/// The place of a host in lists of all: the server first, then the stations.
pub fn index(place: Place) -> usize {
    match place {
        Place::Server => 0,
        Place::Station(node) => node,
    }
}

/// The addresses of every place, with the name of the namespace that it has if no interface takes its place.
///
/// # Errors
/// Where a name cannot be one of a namespace.
pub fn directory(name: &str, config: &CellConfig) -> Result<Vec<(String, Addresses)>, EmuError> {
    Ok(names(name, config)?.into_iter().zip(places(config).map(Addresses::of)).collect())
}

/// The names of all namespaces.
fn names(name: &str, config: &CellConfig) -> Result<Vec<String>, EmuError> {
    let stations = config.stations.iter().map(|station| station.name.as_str());
    let names: Vec<_> = std::iter::once(SERVER).chain(stations).map(|place| format!("{name}-{place}")).collect();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    match names
        .iter()
        .find(|name| !name.chars().all(plain) || name.starts_with(['.', '-']) || name.len() > LONGEST_NAME)
    {
        None => Ok(names),
        Some(wrong) => Err(EmuError::Wrong {
            what: format!("{wrong} cannot be the name of a network namespace"),
            help: format!(
                "choose --name and the stations' names of letters, digits, -, _ and ., at most {LONGEST_NAME} in all"
            ),
        }),
    }
}

/// How the host behind the wire is called.
pub const SERVER: &str = "server";
/// Where the kernel gives TUN devices.
const TUN: &str = "/dev/net/tun";
/// So that it can be the name of a file, with room to spare.
const LONGEST_NAME: usize = 128;

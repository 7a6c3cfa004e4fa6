//! What a person gets: the server and each station in a network namespace of its own, with a device, addresses and routes.
//!
//! It is made whole or not at all, and goes when it is dropped: devices with their descriptors, namespaces, names.

use std::path::Path;

use ackless_cell::config::CellConfig;
use ackless_cell::flows::Place;

use crate::EmuError;
use crate::claim::Claim;
use crate::device::{Addresses, Device, Offload};
use crate::namespace::Namespace;

/// The namespaces and devices of one emulation. Fields are dropped in this order: devices, namespaces, names.
#[derive(Debug)]
pub struct World {
    /// The server's device first, then those of the stations in the order of the configuration.
    pub devices: Vec<Device>,
    /// Likewise.
    pub namespaces: Vec<Namespace>,
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
}

impl World {
    /// Makes the namespaces `NAME-server` and `NAME-STATION` with a device each.
    ///
    /// # Errors
    /// Where rights are missing, a name is taken, or a name cannot be one.
    pub fn new(plan: Plan<'_>, config: &CellConfig) -> Result<Self, EmuError> {
        let names = names(plan.name, config)?;
        if !Path::new(TUN).exists() {
            return Err(EmuError::Refused {
                what: "TUN devices are not to be had".to_owned(),
                source: std::io::Error::new(std::io::ErrorKind::NotFound, format!("there is no {TUN}")),
                help:
                    "load the kernel's module: modprobe tun; in a container, give it the device: --device /dev/net/tun"
                        .to_owned(),
            });
        }
        let claim = Claim::new(plan.name, names.clone())?;
        let namespaces: Vec<_> = names.iter().map(|name| Namespace::new(name)).collect::<Result<_, _>>()?;
        let mtu = config.wired.mtu;
        let devices = places(config).zip(&namespaces).map(|(place, namespace)| {
            let (device, offload) = match place {
                Place::Server => ("wire0", plan.server),
                Place::Station(_) => ("wifi0", plan.stations),
            };
            namespace.within(|| Device::new(device, place, mtu, offload)).map_err(|source| EmuError::Refused {
                what: format!("no TUN device could be made in {}", namespace.name()),
                source,
                help: format!("{TUN} must be open to whoever runs this"),
            })
        });
        let devices = devices.collect::<Result<_, _>>()?;
        Ok(Self { devices, namespaces, claim })
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

/// The addresses of every place, with the name of its namespace.
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

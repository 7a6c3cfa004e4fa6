//! How schemes count: a struct of named counters, each incremented at the transition that it names.

/// Declares a struct of `u64` counters that can be added, subtracted and listed by name.
macro_rules! counters {
    ($(#[$doc_of_all:meta])* pub struct $Counters:ident { $($(#[$doc:meta])* $name:ident,)* }) => {
        $(#[$doc_of_all])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
        pub struct $Counters {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl $Counters {
            /// What was counted since `before`, an earlier value of the same counters.
            pub const fn since(&self, before: &Self) -> Self {
                Self { $($name: self.$name - before.$name),* }
            }

            /// Each counter's name and value, in the order of the declaration.
            pub fn entries(&self) -> impl Iterator<Item = (&'static str, u64)> + use<> {
                [$((stringify!($name), self.$name)),*].into_iter()
            }
        }

        impl std::ops::AddAssign for $Counters {
            fn add_assign(&mut self, other: Self) {
                $(self.$name += other.$name;)*
            }
        }
    };
}

pub(crate) use counters;

//! Bodies are JSON objects.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, MapAccess, Visitor, value::MapAccessDeserializer},
};

/// What is read from an object only. A derived struct would also take an array of its fields in
/// order, which is part of no contract.
#[derive(Debug)]
pub(crate) struct Object<T>(pub(crate) T);

struct Fields<T>(PhantomData<T>);

impl<'de, T: DeserializeOwned> Visitor<'de> for Fields<T> {
    type Value = Object<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Object)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Fields(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    struct Named {
        name: String,
    }

    #[test]
    fn an_array_is_no_object() {
        let named: Object<Named> = serde_json::from_str(r#"{"name": "Zed"}"#).unwrap();
        assert_eq!(named.0.name, "Zed");
        for other in [r#"["Zed"]"#, r#""Zed""#, "null", "7"] {
            let refused = serde_json::from_str::<Object<Named>>(other).unwrap_err();
            assert!(
                refused.to_string().contains("expected an object"),
                "{refused}"
            );
        }
    }
}

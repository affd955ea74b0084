//! The rule sets that can be played.

use axum::Json;
use rules::{OptionKey, RULE_SETS, RuleSet};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::rules::OptionValue;
use crate::{Gateway, extract::Visitor};

pub(crate) fn routes() -> OpenApiRouter<Gateway> {
    OpenApiRouter::new().routes(routes!(list_rulesets))
}

/// All rule sets.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RuleSets {
    rulesets: Vec<RuleSetInfo>,
}

/// A game of the family.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RuleSet)]
pub(crate) struct RuleSetInfo {
    #[schema(example = "brixental")]
    id: &'static str,
    version: u32,
    #[schema(example = "Brixentaler Bauerntarock")]
    name: &'static str,
    /// The numbers of players that it can be played by.
    #[schema(example = json!([3, 4]))]
    players: Vec<u32>,
    /// What can be bid, lowest first.
    #[schema(example = json!(["look_in", "sumpern", "66", "all_tricks"]))]
    contracts: Vec<&'static str>,
    options: Vec<OptionInfo>,
}

/// An option of a rule set.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OptionInfo {
    #[schema(example = "length")]
    name: &'static str,
    default: OptionValue,
    /// What it can be: values, or a description of them.
    #[schema(example = json!(["original_hand", "any"]))]
    values: Vec<OptionValue>,
}

impl From<&RuleSet> for RuleSetInfo {
    fn from(set: &RuleSet) -> Self {
        let option = |key: &OptionKey| OptionInfo {
            name: key.name(),
            default: set.defaults.get(*key).as_str().into(),
            values: key
                .expected()
                .split(" or ")
                .map(OptionValue::from)
                .collect(),
        };
        Self {
            id: set.id,
            version: set.version,
            name: set.name,
            players: set.players().map(u32::from).collect(),
            contracts: set.contracts.iter().map(|contract| contract.name).collect(),
            options: set.options.iter().map(option).collect(),
        }
    }
}

/// List the rule sets
#[utoipa::path(get, path = "/v1/rulesets", tag = "games", security(()),
    responses((status = 200, description = "All rule sets", body = RuleSets)))]
async fn list_rulesets(_: Visitor) -> Json<RuleSets> {
    let rulesets = RULE_SETS
        .iter()
        .map(|set| RuleSetInfo::from(*set))
        .collect();
    Json(RuleSets { rulesets })
}

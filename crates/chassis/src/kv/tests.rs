//! What URLs mean. Connections are tested where they are used, on real servers.

use super::{address::cluster, *};
use crate::testing::RedisKind;

mod secure;

#[test]
fn a_url_says_how_redis_is_run() {
    let one = Address::parse("redis://:secret@127.0.0.1:6379/3");
    assert!(matches!(one, Ok(Address::Single(server)) if server.redis_settings().db() == 3));

    let cluster = Address::parse("redis-cluster://spatz:secret@a:7001,b:7002,[::1]:7003");
    let Ok(Address::Cluster(nodes)) = cluster else {
        panic!("a cluster");
    };
    let addresses = nodes.servers.iter().map(|node| node.addr().to_string());
    let addresses: Vec<String> = addresses.collect();
    assert_eq!(addresses, ["a:7001", "b:7002", "::1:7003"]);
    for node in &nodes.servers {
        assert_eq!(node.redis_settings().username(), Some("spatz"));
        assert_eq!(node.redis_settings().password(), Some("secret"));
    }

    let sentinel = Address::parse("redis-sentinel://:secret@a:26379,b:26379/2#cards");
    let Ok(Address::Sentinel {
        sentinels,
        name,
        node,
        security: Security::Plain,
    }) = sentinel
    else {
        panic!("Sentinels");
    };
    assert_eq!((sentinels.len(), name.as_str()), (2, "cards"));
    assert_eq!(sentinels[0].redis_settings().password(), None);
    assert_eq!(node.redis_settings().password(), Some("secret"));
    assert_eq!(node.redis_settings().db(), 2);
}

#[test]
fn with_an_s_it_is_by_tls() {
    let tls = |info: &redis::ConnectionInfo| {
        matches!(
            info.addr(),
            redis::ConnectionAddr::TcpTls {
                insecure: false,
                ..
            }
        )
    };
    let one = Address::parse("rediss://:secret@a:6380/3").expect("an address");
    assert!(matches!(one, Address::Single(server) if tls(&server)));
    let cluster = Address::parse("rediss-cluster://a:7001,b:7002").expect("an address");
    let Address::Cluster(nodes) = cluster else {
        panic!("a cluster");
    };
    assert!(nodes.servers.iter().all(tls));
    assert!(matches!(nodes.security, Security::Tls(None)));
    let sentinel = Address::parse("rediss-sentinel://a:26379/2#cards").expect("an address");
    let Address::Sentinel {
        sentinels, node, ..
    } = sentinel
    else {
        panic!("Sentinels");
    };
    assert!(sentinels.iter().all(tls) && tls(&node));
}

#[tokio::test]
async fn no_command_waits_for_the_one_before_it_to_be_acknowledged() {
    for kind in [RedisKind::Single, RedisKind::Sentinel] {
        let (url, _) = kind.url();
        let address = Address::parse(&url).expect("an address");
        let primary = address.primary().await.expect("a primary");
        let tcp = primary.get_connection_info().tcp_settings();
        assert!(tcp.nodelay(), "{kind:?}");
    }
    let (url, _) = RedisKind::Cluster.url();
    let Ok(Address::Cluster(nodes)) = Address::parse(&url) else {
        panic!("a cluster");
    };
    let node = &nodes.servers[0];
    assert!(node.tcp_settings().nodelay());
    let settings = format!("{:?}", cluster(&nodes));
    assert!(settings.contains("nodelay: true"), "{settings}");
    // Those of the nodes that are given and of those that are found.
    assert!(!settings.contains("nodelay: false"), "{settings}");
}

#[test]
fn what_is_no_address_is_refused_without_being_repeated() {
    for url in [
        "",
        "127.0.0.1:6379",
        "http://127.0.0.1",
        "redis-cluster://:hunter2@a:7001/1",
        "redis-cluster://",
        "redis-cluster://a:7001,:7002",
        "redis-sentinel://:hunter2@a:26379",
        "redis-sentinel://a:26379#",
        "redis://:hunter2@a:6379?cacert=/etc/hosts",
        "redis://:hunter2@a:6379#name",
        "rediss://:hunter2@a:6379?authority=/etc/hosts",
        "rediss://:hunter2@a:6379?cacert=/there/is/no/hunter2",
        "rediss://:hunter2@a:6379?cacert=/etc/hosts",
        "redissentinel://a:26379#name",
    ] {
        let refused = Address::parse(url).expect_err(url);
        assert!(!refused.to_string().contains("hunter2"), "{refused}");
        assert!(!Kv::check_url(url), "{url}");
    }
}

#[test]
fn a_password_is_not_printed() {
    let address = Address::parse("redis://:hunter2@127.0.0.1:6379").expect("an address");
    assert!(!format!("{address:?}").contains("hunter2"));
}

#[test]
fn a_fail_over_passes_and_a_wrong_question_does_not() {
    let error = |kind| RedisError::from((kind, "an answer"));
    for kind in [
        ErrorKind::Io,
        ErrorKind::MasterNameNotFoundBySentinel,
        ErrorKind::Server(ServerErrorKind::ReadOnly),
        ErrorKind::Server(ServerErrorKind::ClusterDown),
    ] {
        assert!(may_pass(&error(kind)), "{kind:?}");
    }
    for kind in [
        ErrorKind::UnexpectedReturnType,
        ErrorKind::Server(ServerErrorKind::ResponseError),
    ] {
        assert!(!may_pass(&error(kind)), "{kind:?}");
    }
}

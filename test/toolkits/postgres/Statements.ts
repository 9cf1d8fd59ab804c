/** Examples of hostile or careless SQL; `t` stands for a table. */
export const hostile: ReadonlyArray<string> = [
  "select 1; drop table t",
  "commit; drop table t",
  "commit",
  "rollback; drop table t; select 1",
  "drop table t",
  "truncate t",
  "delete from t",
  "delete from t returning *",
  "update t set name = 'x' returning name",
  "insert into t select * from t",
  "with gone as (delete from t returning *) select * from gone",
  "select * into stolen from t",
  "create table stolen as select * from t",
  "copy t to stdout",
  "copy t to program 'touch /tmp/tributary-was-here'",
  "copy (select 1) to '/tmp/tributary-was-here'",
  "do $$ begin execute 'drop table t'; end $$",
  "set transaction read write",
  "set session characteristics as transaction read write",
  "explain analyze delete from t",
  "show all"
]

/** An analyst's queries. */
export const harmless: ReadonlyArray<string> = [
  "select count(*) from t",
  "select count(*) from t;",
  "select name from t order by name limit 3 -- the first three",
  "with named as (select name from t) select count(*) from named",
  "values (1, 'a'), (2, 'b')",
  "table t",
  "select ';drop table t;' as text, $q$commit$q$ as quoted",
  "(select 1) union all (select 2)"
]

-- A role for Grafana that reads what the dashboard shows, and nothing else:
--   psql -v password="'…'" -f pipelines/grafana/reader.sql
CREATE ROLE hk2pg_grafana LOGIN PASSWORD :password;
GRANT USAGE ON SCHEMA hk2pg TO hk2pg_grafana;
GRANT SELECT ON healthkit_metrics, healthkit_daily_summaries,
  hk2pg.user_settings, hk2pg.sources, hk2pg.imports, hk2pg.problems TO hk2pg_grafana;

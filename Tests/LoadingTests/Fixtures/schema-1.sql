-- What version 1 of the schema made, as hk2pg schema --print wrote it (the catalogue shortened).
CREATE SCHEMA IF NOT EXISTS hk2pg;

CREATE TABLE IF NOT EXISTS hk2pg.schema_versions (
  version integer NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (version)
);

COMMENT ON TABLE hk2pg.schema_versions IS 'Versions that the tables of this schema have had.';

COMMENT ON COLUMN hk2pg.schema_versions.version IS 'The greatest is the one in force.';

COMMENT ON COLUMN hk2pg.schema_versions.applied_at IS 'Since when.';

GRANT SELECT ON hk2pg.schema_versions TO PUBLIC;

CREATE TABLE IF NOT EXISTS hk2pg.imports (
  import_id bigint GENERATED ALWAYS AS IDENTITY,
  user_id text NOT NULL,
  state text NOT NULL,
  strategy text,
  load_digest text NOT NULL,
  export_name text NOT NULL,
  export_byte_count bigint NOT NULL,
  export_digest text NOT NULL,
  export_date timestamptz,
  is_salvaged boolean NOT NULL,
  mapping_version integer NOT NULL,
  hk2pg_version text NOT NULL,
  zone text NOT NULL,
  options jsonb NOT NULL DEFAULT '{}',
  started_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  outcome jsonb,
  report jsonb,
  PRIMARY KEY (import_id),
  CHECK (state IN ('loading', 'finished', 'abandoned'))
);

CREATE INDEX IF NOT EXISTS imports_user ON hk2pg.imports (user_id, import_id DESC);

CREATE INDEX IF NOT EXISTS imports_size ON hk2pg.imports (user_id, export_byte_count);

COMMENT ON TABLE hk2pg.imports IS 'Ledger: one row per run that loads (or loaded) an export of a user.';

COMMENT ON COLUMN hk2pg.imports.import_id IS 'Number of the import; names its working tables.';

COMMENT ON COLUMN hk2pg.imports.user_id IS 'Whose samples.';

COMMENT ON COLUMN hk2pg.imports.state IS 'loading, finished or abandoned.';

COMMENT ON COLUMN hk2pg.imports.strategy IS 'new_table: loaded beside and renamed; delta: compared with rows that are there.';

COMMENT ON COLUMN hk2pg.imports.load_digest IS 'Digest of the chunks and options: the same load is resumed, not repeated.';

COMMENT ON COLUMN hk2pg.imports.export_name IS 'File or folder name as given, without its path.';

COMMENT ON COLUMN hk2pg.imports.export_byte_count IS 'Size of what was opened, for instance the zip; 0 for stdin.';

COMMENT ON COLUMN hk2pg.imports.export_digest IS 'XXH3-128 of what was opened.';

COMMENT ON COLUMN hk2pg.imports.export_date IS 'ExportDate, or else the newest creation date: which export is right.';

COMMENT ON COLUMN hk2pg.imports.is_salvaged IS 'Something was left out by --salvage.';

COMMENT ON COLUMN hk2pg.imports.mapping_version IS 'Version of the rules that make rows of samples.';

COMMENT ON COLUMN hk2pg.imports.hk2pg_version IS 'Program version that staged the export.';

COMMENT ON COLUMN hk2pg.imports.zone IS 'IANA zone whose days the summaries have.';

COMMENT ON COLUMN hk2pg.imports.options IS 'Options that change what is stored, as in the manifest.';

COMMENT ON COLUMN hk2pg.imports.started_at IS 'Start of the load.';

COMMENT ON COLUMN hk2pg.imports.finished_at IS 'When it was published.';

COMMENT ON COLUMN hk2pg.imports.outcome IS 'Counts of what the load did.';

COMMENT ON COLUMN hk2pg.imports.report IS 'The whole report of the run, as --report writes it.';

DO $hk2pg$
BEGIN
  IF (SELECT count(*) FROM pg_roles WHERE rolname IN ('anon', 'authenticated')) < 2 THEN RETURN; END IF;
  ALTER TABLE hk2pg.imports ENABLE ROW LEVEL SECURITY;
END
$hk2pg$;

CREATE TABLE IF NOT EXISTS hk2pg.import_chunks (
  import_id bigint NOT NULL,
  file text NOT NULL,
  digest text NOT NULL,
  row_count bigint NOT NULL,
  loaded_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (import_id, file),
  FOREIGN KEY (import_id) REFERENCES hk2pg.imports ON DELETE CASCADE
);

COMMENT ON TABLE hk2pg.import_chunks IS 'Ledger: chunks that a running import has committed; a broken load goes on after them.';

COMMENT ON COLUMN hk2pg.import_chunks.import_id IS 'The import.';

COMMENT ON COLUMN hk2pg.import_chunks.file IS 'File name of the chunk.';

COMMENT ON COLUMN hk2pg.import_chunks.digest IS 'XXH3-128 of the file.';

COMMENT ON COLUMN hk2pg.import_chunks.row_count IS 'Rows of the chunk that were copied.';

COMMENT ON COLUMN hk2pg.import_chunks.loaded_at IS 'When they were committed.';

DO $hk2pg$
BEGIN
  IF (SELECT count(*) FROM pg_roles WHERE rolname IN ('anon', 'authenticated')) < 2 THEN RETURN; END IF;
  ALTER TABLE hk2pg.import_chunks ENABLE ROW LEVEL SECURITY;
END
$hk2pg$;

CREATE TABLE IF NOT EXISTS hk2pg.leases (
  user_id text NOT NULL,
  token uuid NOT NULL,
  host text NOT NULL,
  process_id bigint NOT NULL,
  process_start text NOT NULL,
  acquired_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (user_id)
);

COMMENT ON TABLE hk2pg.leases IS 'One writer per user: who writes at the moment.';

COMMENT ON COLUMN hk2pg.leases.user_id IS 'Whose samples are being written.';

COMMENT ON COLUMN hk2pg.leases.token IS 'Random; only the process that knows it may write.';

COMMENT ON COLUMN hk2pg.leases.host IS 'Machine (name, boot and process namespace) the process runs on.';

COMMENT ON COLUMN hk2pg.leases.process_id IS 'Its process id there.';

COMMENT ON COLUMN hk2pg.leases.process_start IS 'Its start time there: process ids are used again.';

COMMENT ON COLUMN hk2pg.leases.acquired_at IS 'When it began.';

COMMENT ON COLUMN hk2pg.leases.expires_at IS 'A living process moves this on; past it, anybody may take over.';

DO $hk2pg$
BEGIN
  IF (SELECT count(*) FROM pg_roles WHERE rolname IN ('anon', 'authenticated')) < 2 THEN RETURN; END IF;
  ALTER TABLE hk2pg.leases ENABLE ROW LEVEL SECURITY;
END
$hk2pg$;

CREATE TABLE IF NOT EXISTS hk2pg.owned_tables (
  table_schema text NOT NULL,
  table_name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (table_schema, table_name)
);

COMMENT ON TABLE hk2pg.owned_tables IS 'Published tables and views that hk2pg created; it alters no others.';

COMMENT ON COLUMN hk2pg.owned_tables.table_schema IS 'Schema.';

COMMENT ON COLUMN hk2pg.owned_tables.table_name IS 'Name.';

COMMENT ON COLUMN hk2pg.owned_tables.created_at IS 'When hk2pg created it.';

DO $hk2pg$
BEGIN
  IF (SELECT count(*) FROM pg_roles WHERE rolname IN ('anon', 'authenticated')) < 2 THEN RETURN; END IF;
  ALTER TABLE hk2pg.owned_tables ENABLE ROW LEVEL SECURITY;
END
$hk2pg$;

CREATE TABLE IF NOT EXISTS hk2pg.user_settings (
  user_id text NOT NULL,
  zone text,
  server_zone text,
  source_priority jsonb,
  newest_export_date timestamptz,
  newest_import_id bigint,
  mapping_version integer,
  PRIMARY KEY (user_id)
);

COMMENT ON TABLE hk2pg.user_settings IS 'Per user: zone, source ranks, and how far exports reach.';

COMMENT ON COLUMN hk2pg.user_settings.user_id IS 'User.';

COMMENT ON COLUMN hk2pg.user_settings.zone IS 'IANA zone: a day is a local day there.';

COMMENT ON COLUMN hk2pg.user_settings.server_zone IS 'The same zone if this server knows it, for views; NULL reads as UTC.';

COMMENT ON COLUMN hk2pg.user_settings.source_priority IS 'Source names, best first, by metric type ("" for all types).';

COMMENT ON COLUMN hk2pg.user_settings.newest_export_date IS 'ExportDate of the newest export: the truth where exports differ.';

COMMENT ON COLUMN hk2pg.user_settings.newest_import_id IS 'The import of that export.';

COMMENT ON COLUMN hk2pg.user_settings.mapping_version IS 'Rules the user''s rows were made by; another version compares every row.';

DO $hk2pg$
BEGIN
  IF (SELECT count(*) FROM pg_roles WHERE rolname IN ('anon', 'authenticated')) < 2 THEN RETURN; END IF;
  ALTER TABLE hk2pg.user_settings ENABLE ROW LEVEL SECURITY;
  REVOKE ALL ON hk2pg.user_settings FROM anon;
  GRANT SELECT ON hk2pg.user_settings TO authenticated;
  IF to_regprocedure('auth.uid()') IS NOT NULL AND NOT EXISTS (
    SELECT FROM pg_policy WHERE polrelid = 'hk2pg.user_settings'::regclass AND polname = 'hk2pg_own_rows') THEN
  CREATE POLICY hk2pg_own_rows ON hk2pg.user_settings TO authenticated
    USING ((SELECT auth.uid())::text = user_id) WITH CHECK ((SELECT auth.uid())::text = user_id);
END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'service_role') THEN
  GRANT ALL ON hk2pg.user_settings TO service_role;
END IF;
END
$hk2pg$;

CREATE TABLE IF NOT EXISTS hk2pg.sources (
  user_id text NOT NULL,
  name text NOT NULL,
  class text NOT NULL,
  device_names text[] NOT NULL DEFAULT '{}',
  models text[] NOT NULL DEFAULT '{}',
  hardware text[] NOT NULL DEFAULT '{}',
  versions text[] NOT NULL DEFAULT '{}',
  first_sample_at timestamptz,
  last_sample_at timestamptz,
  sample_count bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (user_id, name)
);

COMMENT ON TABLE hk2pg.sources IS 'Apps and devices that recorded samples, by name.';

COMMENT ON COLUMN hk2pg.sources.user_id IS 'User.';

COMMENT ON COLUMN hk2pg.sources.name IS 'As in healthkit_metrics.source_device.';

COMMENT ON COLUMN hk2pg.sources.class IS 'watch, phone or other.';

COMMENT ON COLUMN hk2pg.sources.device_names IS 'Names in its device strings.';

COMMENT ON COLUMN hk2pg.sources.models IS 'Models in its device strings.';

COMMENT ON COLUMN hk2pg.sources.hardware IS 'Product identifiers, for instance Watch7,2.';

COMMENT ON COLUMN hk2pg.sources.versions IS 'Versions of the source.';

COMMENT ON COLUMN hk2pg.sources.first_sample_at IS 'Start of its first sample.';

COMMENT ON COLUMN hk2pg.sources.last_sample_at IS 'Start of its last sample.';

COMMENT ON COLUMN hk2pg.sources.sample_count IS 'Samples in the newest export that has it.';

DO $hk2pg$
BEGIN
  IF (SELECT count(*) FROM pg_roles WHERE rolname IN ('anon', 'authenticated')) < 2 THEN RETURN; END IF;
  ALTER TABLE hk2pg.sources ENABLE ROW LEVEL SECURITY;
  REVOKE ALL ON hk2pg.sources FROM anon;
  GRANT SELECT ON hk2pg.sources TO authenticated;
  IF to_regprocedure('auth.uid()') IS NOT NULL AND NOT EXISTS (
    SELECT FROM pg_policy WHERE polrelid = 'hk2pg.sources'::regclass AND polname = 'hk2pg_own_rows') THEN
  CREATE POLICY hk2pg_own_rows ON hk2pg.sources TO authenticated
    USING ((SELECT auth.uid())::text = user_id) WITH CHECK ((SELECT auth.uid())::text = user_id);
END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'service_role') THEN
  GRANT ALL ON hk2pg.sources TO service_role;
END IF;
END
$hk2pg$;

CREATE TABLE IF NOT EXISTS hk2pg.profiles (
  user_id text NOT NULL,
  characteristic text NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (user_id, characteristic)
);

COMMENT ON TABLE hk2pg.profiles IS 'The Me element: date of birth, sex, blood type and so on.';

COMMENT ON COLUMN hk2pg.profiles.user_id IS 'User.';

COMMENT ON COLUMN hk2pg.profiles.characteristic IS 'Attribute name as exported.';

COMMENT ON COLUMN hk2pg.profiles.value IS 'Value as exported.';

DO $hk2pg$
BEGIN
  IF (SELECT count(*) FROM pg_roles WHERE rolname IN ('anon', 'authenticated')) < 2 THEN RETURN; END IF;
  ALTER TABLE hk2pg.profiles ENABLE ROW LEVEL SECURITY;
  REVOKE ALL ON hk2pg.profiles FROM anon;
  GRANT SELECT ON hk2pg.profiles TO authenticated;
  IF to_regprocedure('auth.uid()') IS NOT NULL AND NOT EXISTS (
    SELECT FROM pg_policy WHERE polrelid = 'hk2pg.profiles'::regclass AND polname = 'hk2pg_own_rows') THEN
  CREATE POLICY hk2pg_own_rows ON hk2pg.profiles TO authenticated
    USING ((SELECT auth.uid())::text = user_id) WITH CHECK ((SELECT auth.uid())::text = user_id);
END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'service_role') THEN
  GRANT ALL ON hk2pg.profiles TO service_role;
END IF;
END
$hk2pg$;

CREATE TABLE IF NOT EXISTS hk2pg.type_units (
  user_id text NOT NULL,
  metric_type text NOT NULL,
  exported_unit text NOT NULL,
  sample_count bigint NOT NULL,
  PRIMARY KEY (user_id, metric_type, exported_unit)
);

COMMENT ON TABLE hk2pg.type_units IS 'Units the newest export had, by type.';

COMMENT ON COLUMN hk2pg.type_units.user_id IS 'User.';

COMMENT ON COLUMN hk2pg.type_units.metric_type IS 'Type.';

COMMENT ON COLUMN hk2pg.type_units.exported_unit IS 'Unit in the export; rows have the canonical one.';

COMMENT ON COLUMN hk2pg.type_units.sample_count IS 'Samples with it.';

DO $hk2pg$
BEGIN
  IF (SELECT count(*) FROM pg_roles WHERE rolname IN ('anon', 'authenticated')) < 2 THEN RETURN; END IF;
  ALTER TABLE hk2pg.type_units ENABLE ROW LEVEL SECURITY;
  REVOKE ALL ON hk2pg.type_units FROM anon;
  GRANT SELECT ON hk2pg.type_units TO authenticated;
  IF to_regprocedure('auth.uid()') IS NOT NULL AND NOT EXISTS (
    SELECT FROM pg_policy WHERE polrelid = 'hk2pg.type_units'::regclass AND polname = 'hk2pg_own_rows') THEN
  CREATE POLICY hk2pg_own_rows ON hk2pg.type_units TO authenticated
    USING ((SELECT auth.uid())::text = user_id) WITH CHECK ((SELECT auth.uid())::text = user_id);
END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'service_role') THEN
  GRANT ALL ON hk2pg.type_units TO service_role;
END IF;
END
$hk2pg$;

CREATE TABLE IF NOT EXISTS hk2pg.problems (
  import_id bigint NOT NULL,
  kind text NOT NULL,
  severity text NOT NULL,
  problem_count bigint NOT NULL,
  first_offset bigint NOT NULL,
  PRIMARY KEY (import_id, kind),
  FOREIGN KEY (import_id) REFERENCES hk2pg.imports ON DELETE CASCADE
);

COMMENT ON TABLE hk2pg.problems IS 'What was repaired, kept or left out of an export, counted.';

COMMENT ON COLUMN hk2pg.problems.import_id IS 'The import.';

COMMENT ON COLUMN hk2pg.problems.kind IS 'Kind of problem.';

COMMENT ON COLUMN hk2pg.problems.severity IS 'repaired, kept, notLoaded, rejected or salvaged.';

COMMENT ON COLUMN hk2pg.problems.problem_count IS 'How often.';

COMMENT ON COLUMN hk2pg.problems.first_offset IS 'Byte offset of the first one in the export''s XML.';

DO $hk2pg$
BEGIN
  IF (SELECT count(*) FROM pg_roles WHERE rolname IN ('anon', 'authenticated')) < 2 THEN RETURN; END IF;
  ALTER TABLE hk2pg.problems ENABLE ROW LEVEL SECURITY;
END
$hk2pg$;

CREATE TABLE IF NOT EXISTS hk2pg.pruned_days (
  user_id text NOT NULL,
  metric_type text NOT NULL,
  day date NOT NULL,
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  row_count bigint NOT NULL,
  pruned_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, metric_type, day)
);

COMMENT ON TABLE hk2pg.pruned_days IS 'Local days whose raw rows of a type were deleted after summing them up.';

COMMENT ON COLUMN hk2pg.pruned_days.user_id IS 'User.';

COMMENT ON COLUMN hk2pg.pruned_days.metric_type IS 'Type of the deleted rows.';

COMMENT ON COLUMN hk2pg.pruned_days.day IS 'Local day.';

COMMENT ON COLUMN hk2pg.pruned_days.starts_at IS 'First instant of the day.';

COMMENT ON COLUMN hk2pg.pruned_days.ends_at IS 'First instant of the next day.';

COMMENT ON COLUMN hk2pg.pruned_days.row_count IS 'Rows deleted.';

COMMENT ON COLUMN hk2pg.pruned_days.pruned_at IS 'When.';

DO $hk2pg$
BEGIN
  IF (SELECT count(*) FROM pg_roles WHERE rolname IN ('anon', 'authenticated')) < 2 THEN RETURN; END IF;
  ALTER TABLE hk2pg.pruned_days ENABLE ROW LEVEL SECURITY;
  REVOKE ALL ON hk2pg.pruned_days FROM anon;
  GRANT SELECT ON hk2pg.pruned_days TO authenticated;
  IF to_regprocedure('auth.uid()') IS NOT NULL AND NOT EXISTS (
    SELECT FROM pg_policy WHERE polrelid = 'hk2pg.pruned_days'::regclass AND polname = 'hk2pg_own_rows') THEN
  CREATE POLICY hk2pg_own_rows ON hk2pg.pruned_days TO authenticated
    USING ((SELECT auth.uid())::text = user_id) WITH CHECK ((SELECT auth.uid())::text = user_id);
END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'service_role') THEN
  GRANT ALL ON hk2pg.pruned_days TO service_role;
END IF;
END
$hk2pg$;

CREATE TABLE IF NOT EXISTS hk2pg.route_points (
  user_id text NOT NULL,
  file_digest text NOT NULL,
  ordinal integer NOT NULL,
  recorded_at timestamptz,
  longitude double precision NOT NULL,
  latitude double precision NOT NULL,
  elevation_m double precision,
  speed_mps double precision,
  course_deg double precision,
  horizontal_accuracy_m double precision,
  vertical_accuracy_m double precision,
  PRIMARY KEY (user_id, file_digest, ordinal)
);

COMMENT ON TABLE hk2pg.route_points IS 'Points of workout routes, one row per GPX point; routes name their file in metadata.';

COMMENT ON COLUMN hk2pg.route_points.user_id IS 'User.';

COMMENT ON COLUMN hk2pg.route_points.file_digest IS 'XXH3-128 of the GPX file: points are stored once per content.';

COMMENT ON COLUMN hk2pg.route_points.ordinal IS 'Place of the point in the file, from 0.';

COMMENT ON COLUMN hk2pg.route_points.recorded_at IS 'Time of the point.';

COMMENT ON COLUMN hk2pg.route_points.longitude IS 'Degrees, WGS 84.';

COMMENT ON COLUMN hk2pg.route_points.latitude IS 'Degrees, WGS 84.';

COMMENT ON COLUMN hk2pg.route_points.elevation_m IS 'Metres.';

COMMENT ON COLUMN hk2pg.route_points.speed_mps IS 'Metres per second.';

COMMENT ON COLUMN hk2pg.route_points.course_deg IS 'Degrees from north.';

COMMENT ON COLUMN hk2pg.route_points.horizontal_accuracy_m IS 'Metres.';

COMMENT ON COLUMN hk2pg.route_points.vertical_accuracy_m IS 'Metres.';

DO $hk2pg$
BEGIN
  IF (SELECT count(*) FROM pg_roles WHERE rolname IN ('anon', 'authenticated')) < 2 THEN RETURN; END IF;
  ALTER TABLE hk2pg.route_points ENABLE ROW LEVEL SECURITY;
  REVOKE ALL ON hk2pg.route_points FROM anon;
  GRANT SELECT ON hk2pg.route_points TO authenticated;
  IF to_regprocedure('auth.uid()') IS NOT NULL AND NOT EXISTS (
    SELECT FROM pg_policy WHERE polrelid = 'hk2pg.route_points'::regclass AND polname = 'hk2pg_own_rows') THEN
  CREATE POLICY hk2pg_own_rows ON hk2pg.route_points TO authenticated
    USING ((SELECT auth.uid())::text = user_id) WITH CHECK ((SELECT auth.uid())::text = user_id);
END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'service_role') THEN
  GRANT ALL ON hk2pg.route_points TO service_role;
END IF;
END
$hk2pg$;

CREATE TABLE IF NOT EXISTS hk2pg.ecg_recordings (
  user_id text NOT NULL,
  metric_id uuid NOT NULL,
  recorded_at timestamptz NOT NULL,
  sample_rate_hz double precision,
  lead text,
  unit text,
  voltages real[] NOT NULL,
  PRIMARY KEY (user_id, metric_id)
);

COMMENT ON TABLE hk2pg.ecg_recordings IS 'Voltages of electrocardiograms, one row per recording.';

COMMENT ON COLUMN hk2pg.ecg_recordings.user_id IS 'User.';

COMMENT ON COLUMN hk2pg.ecg_recordings.metric_id IS 'Row in healthkit_metrics.';

COMMENT ON COLUMN hk2pg.ecg_recordings.recorded_at IS 'Start of the recording.';

COMMENT ON COLUMN hk2pg.ecg_recordings.sample_rate_hz IS 'Samples per second.';

COMMENT ON COLUMN hk2pg.ecg_recordings.lead IS 'Lead, as exported.';

COMMENT ON COLUMN hk2pg.ecg_recordings.unit IS 'Unit of the voltages, as exported.';

COMMENT ON COLUMN hk2pg.ecg_recordings.voltages IS 'The curve.';

DO $hk2pg$
BEGIN
  IF (SELECT count(*) FROM pg_roles WHERE rolname IN ('anon', 'authenticated')) < 2 THEN RETURN; END IF;
  ALTER TABLE hk2pg.ecg_recordings ENABLE ROW LEVEL SECURITY;
  REVOKE ALL ON hk2pg.ecg_recordings FROM anon;
  GRANT SELECT ON hk2pg.ecg_recordings TO authenticated;
  IF to_regprocedure('auth.uid()') IS NOT NULL AND NOT EXISTS (
    SELECT FROM pg_policy WHERE polrelid = 'hk2pg.ecg_recordings'::regclass AND polname = 'hk2pg_own_rows') THEN
  CREATE POLICY hk2pg_own_rows ON hk2pg.ecg_recordings TO authenticated
    USING ((SELECT auth.uid())::text = user_id) WITH CHECK ((SELECT auth.uid())::text = user_id);
END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'service_role') THEN
  GRANT ALL ON hk2pg.ecg_recordings TO service_role;
END IF;
END
$hk2pg$;

CREATE TABLE IF NOT EXISTS hk2pg.metric_types (
  metric_type text NOT NULL,
  kind text NOT NULL,
  aggregation_style text,
  canonical_unit text,
  category_enum text,
  PRIMARY KEY (metric_type)
);

COMMENT ON TABLE hk2pg.metric_types IS 'The HealthKit catalogue: what a metric_type measures.';

COMMENT ON COLUMN hk2pg.metric_types.metric_type IS 'HealthKit identifier.';

COMMENT ON COLUMN hk2pg.metric_types.kind IS 'quantity, category, workout …';

COMMENT ON COLUMN hk2pg.metric_types.aggregation_style IS 'How HealthKit adds samples up; cumulative: sums make sense.';

COMMENT ON COLUMN hk2pg.metric_types.canonical_unit IS 'Unit that rows have.';

COMMENT ON COLUMN hk2pg.metric_types.category_enum IS 'Of categories: enum_name in hk2pg.category_values.';

GRANT SELECT ON hk2pg.metric_types TO PUBLIC;

CREATE TABLE IF NOT EXISTS hk2pg.category_values (
  enum_name text NOT NULL,
  value integer NOT NULL,
  name text NOT NULL,
  PRIMARY KEY (enum_name, name)
);

COMMENT ON TABLE hk2pg.category_values IS 'Names of category values: what the number in a category row means.';

COMMENT ON COLUMN hk2pg.category_values.enum_name IS 'HealthKit enum.';

COMMENT ON COLUMN hk2pg.category_values.value IS 'Raw value, as in healthkit_metrics.value.';

COMMENT ON COLUMN hk2pg.category_values.name IS 'Name as exported.';

GRANT SELECT ON hk2pg.category_values TO PUBLIC;

DO $hk2pg$
BEGIN
  IF (SELECT count(*) FROM pg_roles WHERE rolname IN ('anon', 'authenticated')) < 2 THEN RETURN; END IF;
  GRANT USAGE ON SCHEMA hk2pg TO authenticated;
END
$hk2pg$;

INSERT INTO hk2pg.metric_types (metric_type, kind, aggregation_style, canonical_unit, category_enum) VALUES
('HKQuantityTypeIdentifierStepCount', 'quantity', 'cumulative', 'count', NULL);

INSERT INTO hk2pg.schema_versions (version) VALUES (1) ON CONFLICT DO NOTHING;

DO $hk2pg_create$
BEGIN
  IF to_regclass('healthkit_metrics') IS NOT NULL THEN RETURN; END IF;
  CREATE TABLE healthkit_metrics (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  user_id text NOT NULL,
  metric_type text NOT NULL,
  value double precision,
  unit text,
  source_device text,
  started_at timestamptz NOT NULL,
  ended_at timestamptz,
  metadata jsonb,
  synced_at timestamptz NOT NULL DEFAULT now()
);
  CREATE INDEX "healthkit_metrics_metadata" ON healthkit_metrics USING gin (metadata);
  CREATE INDEX "healthkit_metrics_user_type_time" ON healthkit_metrics (user_id, metric_type, started_at DESC);
  CREATE UNIQUE INDEX "healthkit_metrics_user_id_metric_type_started_at_key" ON healthkit_metrics (user_id, metric_type, started_at);
  CREATE INDEX "healthkit_metrics_user_time" ON healthkit_metrics (user_id, started_at DESC);
  CREATE UNIQUE INDEX "healthkit_metrics_pkey" ON healthkit_metrics (id);
  ALTER TABLE healthkit_metrics ADD CONSTRAINT "healthkit_metrics_user_id_metric_type_started_at_key" UNIQUE USING INDEX "healthkit_metrics_user_id_metric_type_started_at_key";
  ALTER TABLE healthkit_metrics ADD CONSTRAINT "healthkit_metrics_pkey" PRIMARY KEY USING INDEX "healthkit_metrics_pkey";
  COMMENT ON TABLE healthkit_metrics IS 'hk2pg: raw HealthKit samples, one row each.';
  COMMENT ON COLUMN healthkit_metrics.id IS 'Version 8 UUIDs are of hk2pg, made from user, type, start, end and naming metadata.';
  COMMENT ON COLUMN healthkit_metrics.user_id IS 'Whose sample.';
  COMMENT ON COLUMN healthkit_metrics.metric_type IS 'HealthKit identifier of what was measured.';
  COMMENT ON COLUMN healthkit_metrics.value IS 'In the canonical unit of the type; categories: the raw value of the enum.';
  COMMENT ON COLUMN healthkit_metrics.unit IS 'Unit of value.';
  COMMENT ON COLUMN healthkit_metrics.source_device IS 'Name of the app or device that recorded it.';
  COMMENT ON COLUMN healthkit_metrics.started_at IS 'date_trunc(''second'', …) is the exported start; samples of one second are microseconds apart.';
  COMMENT ON COLUMN healthkit_metrics.ended_at IS 'End of the sample.';
  COMMENT ON COLUMN healthkit_metrics.metadata IS 'Metadata as exported, and what a value alone does not say.';
  COMMENT ON COLUMN healthkit_metrics.synced_at IS 'When the row was written.';
  DO $hk2pg$
BEGIN
  IF (SELECT count(*) FROM pg_roles WHERE rolname IN ('anon', 'authenticated')) < 2 THEN RETURN; END IF;
  ALTER TABLE healthkit_metrics ENABLE ROW LEVEL SECURITY;
  REVOKE ALL ON healthkit_metrics FROM anon;
  GRANT SELECT, INSERT, UPDATE, DELETE ON healthkit_metrics TO authenticated;
  IF to_regprocedure('auth.uid()') IS NOT NULL AND NOT EXISTS (
    SELECT FROM pg_policy WHERE polrelid = 'healthkit_metrics'::regclass AND polname = 'hk2pg_own_rows') THEN
  CREATE POLICY hk2pg_own_rows ON healthkit_metrics TO authenticated
    USING ((SELECT auth.uid())::text = user_id) WITH CHECK ((SELECT auth.uid())::text = user_id);
END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'service_role') THEN
  GRANT ALL ON healthkit_metrics TO service_role;
END IF;
END
$hk2pg$;
  INSERT INTO hk2pg.owned_tables (table_schema, table_name)
  SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.oid = 'healthkit_metrics'::regclass ON CONFLICT DO NOTHING;
END
$hk2pg_create$;

DO $hk2pg_create$
BEGIN
  IF to_regclass('healthkit_daily_summaries') IS NOT NULL THEN RETURN; END IF;
  CREATE TABLE healthkit_daily_summaries (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  user_id text NOT NULL,
  metric_type text NOT NULL,
  summary_date date NOT NULL,
  avg_value double precision,
  min_value double precision,
  max_value double precision,
  sum_value double precision,
  sample_count integer,
  unit text,
  created_at timestamptz DEFAULT now()
);
  CREATE UNIQUE INDEX "healthkit_daily_summaries_user_id_metric_type_summary_date_key" ON healthkit_daily_summaries (user_id, metric_type, summary_date);
  CREATE INDEX "healthkit_daily_summaries_user_date" ON healthkit_daily_summaries (user_id, summary_date DESC);
  CREATE UNIQUE INDEX "healthkit_daily_summaries_pkey" ON healthkit_daily_summaries (id);
  ALTER TABLE healthkit_daily_summaries ADD CONSTRAINT "healthkit_daily_summaries_user_id_metric_type_summary_date_key" UNIQUE USING INDEX "healthkit_daily_summaries_user_id_metric_type_summary_date_key";
  ALTER TABLE healthkit_daily_summaries ADD CONSTRAINT "healthkit_daily_summaries_pkey" PRIMARY KEY USING INDEX "healthkit_daily_summaries_pkey";
  COMMENT ON TABLE healthkit_daily_summaries IS 'hk2pg: HealthKit samples summed up by local day.';
  COMMENT ON COLUMN healthkit_daily_summaries.id IS 'Version 8 UUIDs are of hk2pg, made from user, type and day.';
  COMMENT ON COLUMN healthkit_daily_summaries.user_id IS 'Whose day.';
  COMMENT ON COLUMN healthkit_daily_summaries.metric_type IS 'HealthKit identifier; sleep stages and workout activities have rows of their own.';
  COMMENT ON COLUMN healthkit_daily_summaries.summary_date IS 'Local day in the zone of hk2pg.user_settings.';
  COMMENT ON COLUMN healthkit_daily_summaries.avg_value IS 'Mean of the samples; sound levels: energy mean.';
  COMMENT ON COLUMN healthkit_daily_summaries.min_value IS 'Least sample.';
  COMMENT ON COLUMN healthkit_daily_summaries.max_value IS 'Greatest sample.';
  COMMENT ON COLUMN healthkit_daily_summaries.sum_value IS 'Cumulative types: total with overlapping sources merged. Categories and workouts: minutes.';
  COMMENT ON COLUMN healthkit_daily_summaries.sample_count IS 'Samples of the day.';
  COMMENT ON COLUMN healthkit_daily_summaries.unit IS 'Unit of the values.';
  COMMENT ON COLUMN healthkit_daily_summaries.created_at IS 'When the row was written.';
  DO $hk2pg$
BEGIN
  IF (SELECT count(*) FROM pg_roles WHERE rolname IN ('anon', 'authenticated')) < 2 THEN RETURN; END IF;
  ALTER TABLE healthkit_daily_summaries ENABLE ROW LEVEL SECURITY;
  REVOKE ALL ON healthkit_daily_summaries FROM anon;
  GRANT SELECT, INSERT, UPDATE, DELETE ON healthkit_daily_summaries TO authenticated;
  IF to_regprocedure('auth.uid()') IS NOT NULL AND NOT EXISTS (
    SELECT FROM pg_policy WHERE polrelid = 'healthkit_daily_summaries'::regclass AND polname = 'hk2pg_own_rows') THEN
  CREATE POLICY hk2pg_own_rows ON healthkit_daily_summaries TO authenticated
    USING ((SELECT auth.uid())::text = user_id) WITH CHECK ((SELECT auth.uid())::text = user_id);
END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'service_role') THEN
  GRANT ALL ON healthkit_daily_summaries TO service_role;
END IF;
END
$hk2pg$;
  INSERT INTO hk2pg.owned_tables (table_schema, table_name)
  SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.oid = 'healthkit_daily_summaries'::regclass ON CONFLICT DO NOTHING;
END
$hk2pg_create$;

DO $hk2pg_create$
BEGIN
  IF to_regclass('v_healthkit_daily_quantity') IS NOT NULL THEN RETURN; END IF;
  CREATE VIEW v_healthkit_daily_quantity WITH (security_invoker = true) AS
  SELECT s.user_id, s.metric_type, s.summary_date AS day, s.avg_value, s.min_value, s.max_value, s.sum_value,
    s.sample_count, s.unit, 'summary'::text AS source
  FROM healthkit_daily_summaries s LEFT JOIN hk2pg.user_settings u ON u.user_id = s.user_id::text
  WHERE s.metric_type LIKE 'HKQuantityTypeIdentifier%'
    AND (s.summary_date < (u.newest_export_date AT TIME ZONE coalesce(u.server_zone, 'UTC'))::date
      OR NOT EXISTS (
        SELECT FROM healthkit_metrics m WHERE m.user_id = s.user_id AND m.metric_type = s.metric_type
          AND m.started_at >= s.summary_date::timestamp AT TIME ZONE coalesce(u.server_zone, 'UTC')
          AND m.started_at < (s.summary_date + 1)::timestamp AT TIME ZONE coalesce(u.server_zone, 'UTC')
          AND m.value IS NOT NULL))
  UNION ALL
  SELECT r.user_id, r.metric_type, r.day, r.avg_value, r.min_value, r.max_value, r.sum_value, r.sample_count, r.unit,
    'raw'::text AS source
  FROM (
    SELECT DISTINCT ON (g.user_id, g.metric_type, g.day) g.*
    FROM (
      SELECT m.user_id, m.metric_type, (m.started_at AT TIME ZONE coalesce(u.server_zone, 'UTC'))::date AS day,
        CASE WHEN t.aggregation_style = 'cumulative' THEN m.source_device END AS source_device,
        (min(u.newest_export_date) AT TIME ZONE min(coalesce(u.server_zone, 'UTC')))::date AS newest_export_day,
        avg(m.value) AS avg_value, min(m.value) AS min_value, max(m.value) AS max_value, sum(m.value) AS sum_value,
        count(*)::integer AS sample_count, max(m.unit) AS unit
      FROM healthkit_metrics m
      LEFT JOIN hk2pg.user_settings u ON u.user_id = m.user_id::text
      LEFT JOIN hk2pg.metric_types t ON t.metric_type = m.metric_type
      WHERE m.metric_type LIKE 'HKQuantityTypeIdentifier%' AND m.value IS NOT NULL
      GROUP BY 1, 2, 3, 4
    ) g
    ORDER BY g.user_id, g.metric_type, g.day, g.sum_value DESC, g.source_device
  ) r
  WHERE coalesce(r.day >= r.newest_export_day, true) OR NOT EXISTS (
    SELECT FROM healthkit_daily_summaries s WHERE s.user_id = r.user_id AND s.metric_type = r.metric_type AND s.summary_date = r.day);
  COMMENT ON VIEW v_healthkit_daily_quantity IS 'hk2pg: one row per user, quantity type and local day; source says summary or raw.';
  INSERT INTO hk2pg.owned_tables (table_schema, table_name)
  SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.oid = 'v_healthkit_daily_quantity'::regclass ON CONFLICT DO NOTHING;
END
$hk2pg_create$;

DO $hk2pg$
BEGIN
  IF (SELECT count(*) FROM pg_roles WHERE rolname IN ('anon', 'authenticated')) < 2 THEN RETURN; END IF;
  REVOKE ALL ON v_healthkit_daily_quantity FROM anon;
  GRANT SELECT ON v_healthkit_daily_quantity TO authenticated;
END
$hk2pg$;

DO $hk2pg$
DECLARE reader text;
BEGIN
  FOR reader IN
    SELECT DISTINCT CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END
    FROM pg_class c, aclexplode(c.relacl) a
    WHERE c.oid = 'healthkit_metrics'::regclass AND a.privilege_type = 'SELECT' AND a.grantee <> c.relowner
      AND a.grantee NOT IN (SELECT r.oid FROM pg_roles r WHERE r.rolname = 'anon')
  LOOP
    EXECUTE 'GRANT USAGE ON SCHEMA hk2pg TO ' || reader;
    EXECUTE 'GRANT SELECT ON hk2pg.user_settings TO ' || reader;
  END LOOP;
END
$hk2pg$;

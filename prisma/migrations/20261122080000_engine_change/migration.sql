-- CreateTable
CREATE TABLE "engine_change" (
    "id" UUID NOT NULL,
    "to" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "revision" BIGINT,
    "state" TEXT NOT NULL,
    "started_at_ms" BIGINT NOT NULL,
    "ended_at_ms" BIGINT,

    CONSTRAINT "engine_change_pkey" PRIMARY KEY ("id")
);

-- Its trigger is on the log while that is elsewhere (engine-change/record.ts): no release appends then, whatever it knows of changes
CREATE FUNCTION log_is_elsewhere() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last RECORD;
BEGIN
  SELECT * INTO last FROM engine_change ORDER BY started_at_ms DESC LIMIT 1;
  RAISE EXCEPTION USING ERRCODE = '42G01', MESSAGE = format(
    'the log is not in this database but in NATS at %s, by "gantt migrate-sync": set GANTT_SYNC to it', last.address);
END $$;

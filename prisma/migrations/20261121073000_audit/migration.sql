-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "hosts" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "project" TEXT,
ADD COLUMN     "replaces" UUID;

-- CreateTable
CREATE TABLE "audit" (
    "seq" BIGINT NOT NULL,
    "id" UUID NOT NULL,
    "at_ms" BIGINT NOT NULL,
    "account" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "mutation" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "summary" TEXT NOT NULL,
    "result" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "previous" TEXT NOT NULL,
    "hash" TEXT NOT NULL,

    CONSTRAINT "audit_pkey" PRIMARY KEY ("seq")
);

-- CreateIndex
CREATE UNIQUE INDEX "audit_id_key" ON "audit"("id");

-- CreateIndex
CREATE INDEX "audit_request_id_idx" ON "audit"("request_id");

-- The audit is written once and never changed
CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit is append-only: % is refused', TG_OP;
END $$;

CREATE TRIGGER audit_rows BEFORE UPDATE OR DELETE ON "audit" FOR EACH ROW EXECUTE FUNCTION audit_is_append_only();
CREATE TRIGGER audit_table BEFORE TRUNCATE ON "audit" FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only();

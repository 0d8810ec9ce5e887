-- CreateTable
CREATE TABLE "log" (
    "revision" BIGINT NOT NULL,
    "id" TEXT NOT NULL,
    "writer" TEXT NOT NULL,
    "basis_revision" BIGINT NOT NULL,
    "basis_id" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "at_ms" BIGINT NOT NULL,
    "changes" INTEGER NOT NULL,

    CONSTRAINT "log_pkey" PRIMARY KEY ("revision")
);

-- CreateTable
CREATE TABLE "checkpoint" (
    "revision" BIGINT NOT NULL,
    "id" TEXT NOT NULL,
    "at_ms" BIGINT NOT NULL,
    "epoch" INTEGER NOT NULL,
    "format" INTEGER NOT NULL,
    "body" TEXT NOT NULL,

    CONSTRAINT "checkpoint_pkey" PRIMARY KEY ("revision")
);

-- CreateTable
CREATE TABLE "store_epoch" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "epoch" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "store_epoch_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "projection_position" (
    "name" TEXT NOT NULL,
    "revision" BIGINT NOT NULL,
    "id" TEXT NOT NULL,

    CONSTRAINT "projection_position_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "compute_node" (
    "id" TEXT NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "host" TEXT NOT NULL,
    "node" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "availability_zone" TEXT,
    "document" JSONB NOT NULL,
    "revision" BIGINT NOT NULL,

    CONSTRAINT "compute_node_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "aggregate" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "availability_zone" TEXT,
    "metadata" JSONB NOT NULL,
    "hosts" JSONB NOT NULL,
    "version" INTEGER NOT NULL,
    "revision" BIGINT NOT NULL,
    "deleted_at_ms" BIGINT,

    CONSTRAINT "aggregate_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "server_group" (
    "id" UUID NOT NULL,
    "policy" TEXT NOT NULL,
    "max_server_per_host" INTEGER,
    "revision" BIGINT NOT NULL,

    CONSTRAINT "server_group_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "request_spec" (
    "id" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "document" JSONB NOT NULL,
    "num_instances" INTEGER NOT NULL,
    "flavor_name" TEXT,
    "vcpus" BIGINT NOT NULL,
    "memory_mb" BIGINT NOT NULL,
    "disk_gb" BIGINT NOT NULL,
    "project_id" TEXT,
    "availability_zone" TEXT,
    "created_at_ms" BIGINT NOT NULL,

    CONSTRAINT "request_spec_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "decision" (
    "id" UUID NOT NULL,
    "outcome" TEXT NOT NULL,
    "at_ms" BIGINT NOT NULL,
    "caller" TEXT NOT NULL,
    "request_spec_id" TEXT NOT NULL,
    "profile" TEXT NOT NULL,
    "seed" TEXT NOT NULL,
    "revision" BIGINT NOT NULL,
    "entry_id" TEXT,
    "entry_place" INTEGER,
    "attempt" INTEGER NOT NULL,
    "instance_uuids" TEXT[],
    "hosts" TEXT[],
    "document" JSONB NOT NULL,

    CONSTRAINT "decision_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "claim" (
    "id" UUID NOT NULL,
    "instance_uuid" TEXT,
    "host" TEXT NOT NULL,
    "node" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "account" TEXT NOT NULL,
    "decision_id" TEXT NOT NULL,
    "fence" BIGINT NOT NULL,
    "document" JSONB NOT NULL,
    "revision" BIGINT NOT NULL,
    "created_at_ms" BIGINT NOT NULL,
    "expires_at_ms" BIGINT,

    CONSTRAINT "claim_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "account" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_at_ms" BIGINT NOT NULL,
    "expires_at_ms" BIGINT,
    "revoked_at_ms" BIGINT,
    "last_used_at_ms" BIGINT,

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "compute_node_ordinal_key" ON "compute_node"("ordinal");

-- CreateIndex
CREATE INDEX "decision_at_ms_id_idx" ON "decision"("at_ms" DESC, "id");

-- CreateIndex
CREATE INDEX "decision_outcome_idx" ON "decision"("outcome");

-- CreateIndex
CREATE INDEX "claim_host_state_idx" ON "claim"("host", "state");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_prefix_key" ON "api_key"("prefix");

-- The one row of the store's epoch
INSERT INTO "store_epoch" ("id", "epoch") VALUES (1, 1);

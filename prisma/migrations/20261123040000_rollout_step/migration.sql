-- What the shadow of a rollout finds was in the memory of each replica and went with it; now it can be asked for over time.
-- CreateTable
CREATE TABLE "rollout_step" (
    "rollout" TEXT NOT NULL,
    "at_ms" BIGINT NOT NULL,
    "replica" TEXT NOT NULL,
    "agreed" INTEGER NOT NULL,
    "elsewhere" INTEGER NOT NULL,
    "new_failures" INTEGER NOT NULL,
    "new_placements" INTEGER NOT NULL,
    "skipped" INTEGER NOT NULL,
    "not_solved" INTEGER NOT NULL,

    CONSTRAINT "rollout_step_pkey" PRIMARY KEY ("rollout","at_ms","replica")
);

-- CreateTable
CREATE TABLE "rollout_disagreement" (
    "rollout" TEXT NOT NULL,
    "decision_id" UUID NOT NULL,
    "at_ms" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "because" TEXT NOT NULL,
    "instance" INTEGER,
    "baseline_host" TEXT,
    "baseline_rank" INTEGER,
    "baseline_because" TEXT,
    "candidate_host" TEXT,
    "candidate_rank" INTEGER,
    "candidate_because" TEXT,

    CONSTRAINT "rollout_disagreement_pkey" PRIMARY KEY ("rollout","decision_id")
);

-- CreateIndex
CREATE INDEX "rollout_step_at_ms_idx" ON "rollout_step"("at_ms");

-- CreateIndex
CREATE INDEX "rollout_disagreement_rollout_at_ms_idx" ON "rollout_disagreement"("rollout", "at_ms" DESC);

-- CreateIndex
CREATE INDEX "rollout_disagreement_at_ms_idx" ON "rollout_disagreement"("at_ms");

CREATE TABLE answers (
    key VARCHAR(300) NOT NULL,
    at FLOAT NOT NULL,
    PRIMARY KEY (key)
);

CREATE TABLE inbox (
    seq SERIAL NOT NULL,
    key VARCHAR(300) NOT NULL,
    kind VARCHAR(20) NOT NULL,
    installation_id BIGINT NOT NULL,
    repository_id BIGINT NOT NULL,
    number INTEGER NOT NULL,
    trigger TEXT NOT NULL,
    accepted_at FLOAT NOT NULL,
    state VARCHAR(10) NOT NULL,
    note TEXT NOT NULL,
    PRIMARY KEY (seq),
    UNIQUE (key)
);

CREATE TABLE iterations (
    run_id VARCHAR(40) NOT NULL,
    number INTEGER NOT NULL,
    iteration TEXT NOT NULL,
    verdict VARCHAR(30),
    why TEXT NOT NULL,
    UNIQUE (run_id, number)
);

CREATE TABLE runs (
    id VARCHAR(40) NOT NULL,
    installation_id BIGINT NOT NULL,
    repository_id BIGINT NOT NULL,
    number INTEGER NOT NULL,
    trigger TEXT NOT NULL,
    state VARCHAR(10) NOT NULL,
    started_at FLOAT NOT NULL,
    finished_at FLOAT,
    stop_because TEXT,
    cost_usd FLOAT NOT NULL,
    facts TEXT NOT NULL,
    outcome VARCHAR(20),
    reason TEXT,
    PRIMARY KEY (id)
);

CREATE INDEX ix_inbox_state ON inbox (state);

CREATE INDEX ix_runs_repository_id ON runs (repository_id);

CREATE INDEX ix_runs_state ON runs (state);

CREATE TABLE answers (
    key VARCHAR(300) NOT NULL,
    at FLOAT NOT NULL,
    PRIMARY KEY (key)
);
CREATE TABLE asks (
    key VARCHAR(300) NOT NULL,
    repository_id BIGINT NOT NULL,
    login VARCHAR(100) NOT NULL,
    is_let_in BOOLEAN NOT NULL,
    at FLOAT NOT NULL,
    PRIMARY KEY (key)
);
CREATE INDEX ix_asks_repository_id ON asks (repository_id);
CREATE TABLE caught_up (
    app_id BIGINT NOT NULL,
    delivery_id BIGINT NOT NULL,
    at FLOAT NOT NULL,
    PRIMARY KEY (app_id)
);
CREATE TABLE controls (
    key VARCHAR(100) NOT NULL,
    value TEXT NOT NULL,
    at FLOAT NOT NULL,
    PRIMARY KEY (key)
);
CREATE TABLE dialects (
    model TEXT NOT NULL,
    dialect VARCHAR(20) NOT NULL,
    found_at FLOAT NOT NULL,
    PRIMARY KEY (model)
);
CREATE TABLE happenings (
    run_id VARCHAR(40) NOT NULL,
    seq INTEGER NOT NULL,
    at FLOAT NOT NULL,
    kind VARCHAR(10) NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run_id, seq)
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
    shelf VARCHAR(10) DEFAULT 'new' NOT NULL,
    PRIMARY KEY (seq),
    UNIQUE (key)
);
CREATE INDEX ix_inbox_issue ON inbox (repository_id, number);
CREATE INDEX ix_inbox_shelf ON inbox (shelf, repository_id, seq, kind) WHERE state = 'waiting';
CREATE INDEX ix_inbox_state ON inbox (state);
CREATE TABLE iterations (
    run_id VARCHAR(40) NOT NULL,
    number INTEGER NOT NULL,
    iteration TEXT NOT NULL,
    verdict VARCHAR(40),
    why TEXT NOT NULL,
    summary TEXT,
    UNIQUE (run_id, number)
);
CREATE TABLE leases (
    name VARCHAR(60) NOT NULL,
    worker_id VARCHAR(40) NOT NULL,
    fence INTEGER NOT NULL,
    until FLOAT NOT NULL,
    PRIMARY KEY (name)
);
CREATE TABLE notes (
    seq SERIAL NOT NULL,
    key VARCHAR(300) NOT NULL,
    repository_id BIGINT NOT NULL,
    number INTEGER NOT NULL,
    author VARCHAR(100) NOT NULL,
    text TEXT NOT NULL,
    at FLOAT NOT NULL,
    PRIMARY KEY (seq),
    UNIQUE (key)
);
CREATE INDEX ix_notes_repository_id ON notes (repository_id);
CREATE TABLE paid (
    run_id VARCHAR(40) NOT NULL,
    step VARCHAR(60) NOT NULL,
    request VARCHAR(64) NOT NULL,
    nth INTEGER NOT NULL,
    reply TEXT NOT NULL,
    UNIQUE (run_id, step, request, nth)
);
CREATE TABLE queue_comments (
    run_id VARCHAR(40) NOT NULL,
    comment_id BIGINT NOT NULL,
    said VARCHAR(100) NOT NULL,
    PRIMARY KEY (run_id)
);
CREATE TABLE replies (
    key VARCHAR(300) NOT NULL,
    repository_id BIGINT NOT NULL,
    number INTEGER NOT NULL,
    at FLOAT NOT NULL,
    PRIMARY KEY (key)
);
CREATE INDEX ix_replies_repository_id ON replies (repository_id);
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
    worker_id VARCHAR(40),
    fence INTEGER DEFAULT '0' NOT NULL,
    leased_until FLOAT,
    resumes_at FLOAT,
    waits_for TEXT,
    kind VARCHAR(20),
    repository VARCHAR(300),
    asked_by VARCHAR(100),
    asked_at FLOAT,
    title TEXT,
    step VARCHAR(60),
    model TEXT,
    iteration_count INTEGER,
    tokens BIGINT,
    pull_request INTEGER,
    pull_state VARCHAR(10),
    published_at FLOAT,
    PRIMARY KEY (id)
);
CREATE INDEX ix_runs_asked_by ON runs (asked_by);
CREATE INDEX ix_runs_finished_at ON runs (finished_at);
CREATE INDEX ix_runs_listed ON runs (started_at, id, kind, state, outcome, resumes_at, repository_id, repository, asked_by, cost_usd, number, model, iteration_count, asked_at, published_at, pull_request, pull_state);
CREATE INDEX ix_runs_pull_request ON runs (repository_id, pull_request);
CREATE INDEX ix_runs_repository ON runs (repository);
CREATE INDEX ix_runs_repository_id ON runs (repository_id);
CREATE INDEX ix_runs_started_at ON runs (started_at);
CREATE INDEX ix_runs_state ON runs (state);
CREATE TABLE sessions (
    key VARCHAR(64) NOT NULL,
    user_id BIGINT NOT NULL,
    sealed TEXT NOT NULL,
    began_at FLOAT NOT NULL,
    seen_at FLOAT NOT NULL,
    version INTEGER NOT NULL,
    claimed_until FLOAT,
    PRIMARY KEY (key)
);
CREATE INDEX ix_sessions_user_id ON sessions (user_id);
CREATE TABLE sign_ins (
    key VARCHAR(64) NOT NULL,
    leads_to TEXT NOT NULL,
    at FLOAT NOT NULL,
    PRIMARY KEY (key)
);
CREATE INDEX ix_sign_ins_at ON sign_ins (at);
CREATE TABLE spent (
    hour INTEGER NOT NULL,
    installation_id BIGINT NOT NULL,
    repository_id BIGINT NOT NULL,
    usd FLOAT NOT NULL,
    PRIMARY KEY (hour, installation_id, repository_id)
);
CREATE TABLE workers (
    id VARCHAR(40) NOT NULL,
    name VARCHAR(300) NOT NULL,
    home TEXT NOT NULL,
    version VARCHAR(40) NOT NULL,
    started_at FLOAT NOT NULL,
    beat_at FLOAT NOT NULL,
    places INTEGER NOT NULL,
    problem TEXT NOT NULL,
    drains BOOLEAN NOT NULL,
    PRIMARY KEY (id)
);
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY);
INSERT INTO alembic_version VALUES ('0005');

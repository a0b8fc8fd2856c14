// Probot, as its documentation starts it, in one process for each core: it hears what selfcode hears, and keeps nothing.
import cluster from "node:cluster";
import { run } from "probot";

const label = process.env.FLOOD_LABEL;

function app(probot) {
  probot.on("issues.labeled", async (context) => {
    if (context.payload.label?.name === label) context.log.info("accepted");
  });
}

if (cluster.isPrimary) {
  for (let started = 0; started < Number(process.env.FLOOD_PROCESSES); started += 1) cluster.fork();
} else {
  await run(app);
}

/** The settings from the environment, with their defaults. */
export function readConfig(env = process.env) {
  return {
    port: Number(env.PORT ?? 8080),
  };
}

-- Carriers that fly from New York.
CREATE TABLE airlines (
  code TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (code)
) STRICT;

-- Airports that have an IATA code, all over the world.
CREATE TABLE airports (
  code TEXT NOT NULL,
  name TEXT NOT NULL,
  city TEXT,
  subdivision TEXT,
  country TEXT NOT NULL,
  latitude REAL NOT NULL,
  longitude REAL NOT NULL,
  elevation_ft INTEGER,
  timezone TEXT NOT NULL,
  PRIMARY KEY (code)
) STRICT;

-- Airliners of the FAA registry that flew from New York in 2013. Numbers of seats that cannot be right for the model are corrected.
CREATE TABLE aircraft (
  tail_number TEXT NOT NULL,
  year_built INTEGER,
  type TEXT NOT NULL,
  manufacturer TEXT NOT NULL CHECK (manufacturer IN ('AIRBUS', 'AIRBUS INDUSTRIE', 'BOEING', 'BOMBARDIER INC', 'CANADAIR', 'EMBRAER', 'MCDONNELL DOUGLAS', 'MCDONNELL DOUGLAS AIRCRAFT CO', 'MCDONNELL DOUGLAS CORPORATION')),
  model TEXT NOT NULL,
  engines INTEGER NOT NULL,
  seats INTEGER NOT NULL,
  engine_type TEXT NOT NULL CHECK (engine_type IN ('Turbo-fan', 'Turbo-jet')),
  PRIMARY KEY (tail_number)
) STRICT;

-- Scheduled departures from New York in January 2013. What happened is known up to the clock; later flights are scheduled.
-- tail_number refers to aircraft.tail_number, not enforced: 79.7% of values
CREATE TABLE flights (
  flight_id TEXT NOT NULL,
  carrier TEXT NOT NULL,
  flight_number INTEGER NOT NULL,
  flight_date TEXT NOT NULL,
  origin TEXT NOT NULL,
  destination TEXT NOT NULL,
  scheduled_departure_local TEXT NOT NULL,
  scheduled_arrival_local TEXT NOT NULL,
  scheduled_departure TEXT NOT NULL,
  scheduled_arrival TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('scheduled', 'departed', 'arrived', 'cancelled', 'diverted')),
  actual_departure TEXT,
  actual_arrival TEXT,
  departure_delay_minutes INTEGER,
  arrival_delay_minutes INTEGER,
  tail_number TEXT,
  distance_miles INTEGER NOT NULL,
  capacity INTEGER,
  seat_letters TEXT,
  base_fare INTEGER,
  PRIMARY KEY (flight_id),
  FOREIGN KEY (carrier) REFERENCES airlines (code),
  FOREIGN KEY (origin) REFERENCES airports (code),
  FOREIGN KEY (destination) REFERENCES airports (code)
) STRICT;
CREATE INDEX flights_carrier ON flights (carrier);
CREATE INDEX flights_origin ON flights (origin);
CREATE INDEX flights_destination ON flights (destination);
CREATE INDEX flights_tail_number ON flights (tail_number);
CREATE INDEX flights_scheduled_departure ON flights (scheduled_departure);
CREATE INDEX flights_origin_scheduled_departure ON flights (origin, scheduled_departure);

-- What a fare allows; the rules every agent at the desk knows by heart.
CREATE TABLE fare_classes (
  code TEXT NOT NULL,
  name TEXT NOT NULL,
  price_factor REAL NOT NULL,
  refundable INTEGER NOT NULL CHECK (refundable IN (0, 1)),
  cancellation_fee INTEGER NOT NULL,
  changeable INTEGER NOT NULL CHECK (changeable IN (0, 1)),
  change_fee INTEGER NOT NULL,
  bags_included INTEGER NOT NULL,
  seat_choice INTEGER NOT NULL CHECK (seat_choice IN (0, 1)),
  points_percent INTEGER NOT NULL,
  PRIMARY KEY (code)
) STRICT;

-- How fares rise as the day of the flight comes nearer.
CREATE TABLE price_steps (
  min_days INTEGER NOT NULL,
  factor REAL NOT NULL,
  PRIMARY KEY (min_days)
) STRICT;

-- People who book, with or without a loyalty number.
CREATE TABLE customers (
  customer_id INTEGER NOT NULL,
  first_name TEXT NOT NULL,
  last_name TEXT NOT NULL,
  birth_date TEXT NOT NULL,
  email TEXT NOT NULL,
  phone TEXT,
  loyalty_number TEXT,
  tier TEXT CHECK (tier IN ('member', 'silver', 'gold', 'platinum')),
  points_balance INTEGER NOT NULL DEFAULT 0,
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'closed')),
  registered_at TEXT NOT NULL,
  PRIMARY KEY (customer_id),
  UNIQUE (loyalty_number),
  CHECK ((loyalty_number IS NULL) = (tier IS NULL))
) STRICT;
CREATE INDEX customers_last_name_first_name ON customers (last_name, first_name);
CREATE INDEX customers_email ON customers (email);

-- A reservation for one party, under one record locator.
CREATE TABLE bookings (
  locator TEXT NOT NULL,
  customer_id INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('held', 'confirmed', 'cancelled', 'expired')),
  channel TEXT NOT NULL CHECK (channel IN ('web', 'app', 'phone', 'agent', 'counter')),
  contact_email TEXT NOT NULL,
  contact_phone TEXT,
  booked_at TEXT NOT NULL,
  hold_expires_at TEXT,
  cancelled_at TEXT,
  PRIMARY KEY (locator),
  FOREIGN KEY (customer_id) REFERENCES customers (customer_id),
  CHECK ((status IN ('cancelled', 'expired')) = (cancelled_at IS NOT NULL)),
  CHECK (status <> 'held' OR hold_expires_at IS NOT NULL)
) STRICT;
CREATE INDEX bookings_customer_id ON bookings (customer_id);

-- People who travel on a booking; the booker often is one of them.
CREATE TABLE travellers (
  traveller_id INTEGER NOT NULL,
  locator TEXT NOT NULL,
  first_name TEXT NOT NULL,
  last_name TEXT NOT NULL,
  birth_date TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('adult', 'child')),
  customer_id INTEGER,
  PRIMARY KEY (traveller_id),
  FOREIGN KEY (locator) REFERENCES bookings (locator),
  FOREIGN KEY (customer_id) REFERENCES customers (customer_id)
) STRICT;
CREATE INDEX travellers_locator ON travellers (locator);
CREATE INDEX travellers_customer_id ON travellers (customer_id);
CREATE INDEX travellers_last_name_first_name ON travellers (last_name, first_name);

-- One traveller on one flight.
CREATE TABLE tickets (
  ticket_id INTEGER NOT NULL,
  locator TEXT NOT NULL,
  traveller_id INTEGER NOT NULL,
  flight_id TEXT NOT NULL,
  leg INTEGER NOT NULL,
  fare_class TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('booked', 'checked_in', 'boarded', 'travelled', 'no_show', 'cancelled')),
  seat TEXT,
  fare INTEGER NOT NULL,
  tax INTEGER NOT NULL,
  issued_at TEXT NOT NULL,
  checked_in_at TEXT,
  PRIMARY KEY (ticket_id),
  UNIQUE (flight_id, seat),
  FOREIGN KEY (locator) REFERENCES bookings (locator),
  FOREIGN KEY (traveller_id) REFERENCES travellers (traveller_id),
  FOREIGN KEY (flight_id) REFERENCES flights (flight_id),
  FOREIGN KEY (fare_class) REFERENCES fare_classes (code),
  CHECK (status <> 'cancelled' OR seat IS NULL),
  CHECK (status NOT IN ('checked_in', 'boarded') OR (seat IS NOT NULL AND checked_in_at IS NOT NULL))
) STRICT;
CREATE INDEX tickets_locator ON tickets (locator);
CREATE INDEX tickets_traveller_id ON tickets (traveller_id);
CREATE INDEX tickets_flight_id ON tickets (flight_id);
CREATE INDEX tickets_fare_class ON tickets (fare_class);
CREATE INDEX tickets_flight_id_status ON tickets (flight_id, status);

-- What a booking owes; reversals are negative. Charges less payments plus refunds is the balance due.
CREATE TABLE charges (
  charge_id INTEGER NOT NULL,
  locator TEXT NOT NULL,
  ticket_id INTEGER,
  kind TEXT NOT NULL CHECK (kind IN ('ticket', 'bag', 'change_fee', 'fare_difference', 'cancellation_fee', 'reversal')),
  amount INTEGER NOT NULL,
  charged_at TEXT NOT NULL,
  PRIMARY KEY (charge_id),
  FOREIGN KEY (locator) REFERENCES bookings (locator),
  FOREIGN KEY (ticket_id) REFERENCES tickets (ticket_id)
) STRICT;
CREATE INDEX charges_locator ON charges (locator);
CREATE INDEX charges_ticket_id ON charges (ticket_id);

-- Money that came in or was paid back.
CREATE TABLE payments (
  payment_id INTEGER NOT NULL,
  locator TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('payment', 'refund')),
  method TEXT NOT NULL CHECK (method IN ('credit card', 'debit card', 'wallet', 'voucher', 'cash')),
  amount INTEGER NOT NULL,
  paid_at TEXT NOT NULL,
  PRIMARY KEY (payment_id),
  FOREIGN KEY (locator) REFERENCES bookings (locator),
  CHECK (amount > 0)
) STRICT;
CREATE INDEX payments_locator ON payments (locator);

-- Checked bags of a ticket.
CREATE TABLE bags (
  bag_id INTEGER NOT NULL,
  ticket_id INTEGER NOT NULL,
  piece INTEGER NOT NULL,
  weight_kg INTEGER,
  fee INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('registered', 'accepted', 'loaded', 'delivered', 'cancelled')),
  registered_at TEXT NOT NULL,
  PRIMARY KEY (bag_id),
  UNIQUE (ticket_id, piece),
  FOREIGN KEY (ticket_id) REFERENCES tickets (ticket_id)
) STRICT;
CREATE INDEX bags_ticket_id ON bags (ticket_id);

-- Points earned and spent; they add up to the balance of the customer.
CREATE TABLE loyalty_activities (
  activity_id INTEGER NOT NULL,
  customer_id INTEGER NOT NULL,
  ticket_id INTEGER,
  kind TEXT NOT NULL CHECK (kind IN ('carried_over', 'earned', 'bonus', 'spent')),
  points INTEGER NOT NULL,
  occurred_at TEXT NOT NULL,
  PRIMARY KEY (activity_id),
  FOREIGN KEY (customer_id) REFERENCES customers (customer_id),
  FOREIGN KEY (ticket_id) REFERENCES tickets (ticket_id)
) STRICT;
CREATE INDEX loyalty_activities_customer_id ON loyalty_activities (customer_id);
CREATE INDEX loyalty_activities_ticket_id ON loyalty_activities (ticket_id);
